/** A send that has to wait, mostly because only the account vouches for it. It is checked and stored now; a job queues it a day later. */
import { networkFacts, networkNames, type OperationAnswer, type Operations } from '@market/contract';
import { z } from 'zod';
import type { Call } from '../../access/call.ts';
import type { Person } from '../../access/caller.ts';
import { actorOf, holdMove, type MoveRunner, presentWait } from '../accounts/moves/index.ts';
import type { AgentWalletsContext } from './agent-wallets-context.ts';
import { amountOf } from './movement-events.ts';
import { presentSum } from './present.ts';
import { queueMovement } from './queue-movement.ts';
import { readWalletUse } from './repository.ts';
import { type MovementRequest, planMovement, readAmount } from './request-movement.ts';

type SendAnswer = OperationAnswer<Operations['wallets']['send']>['data'];

const payload = z.object({
  network: z.enum(networkNames),
  asset: z.enum(['usdc', 'native']),
  amount: z.string().optional(),
  destination: z.string(),
  not_sent_before: z.boolean().optional(),
});

export async function holdSend(
  context: AgentWalletsContext,
  call: Call,
  request: MovementRequest,
  { person, wait }: { readonly person: Person; readonly wait: string },
): Promise<{ data: SendAnswer }> {
  const { agent, network, asset } = request;
  const plan = await planMovement(context, request);
  // Refuse at once if the wallet cannot send this now. Nothing is reserved: the money stays usable until the move runs.
  plan.takeAmount(await readWalletUse(context.database.db, { agentId: agent.id, network, asset }, plan.mark));
  const wanted = readAmount(request);
  const sum = wanted === undefined ? undefined : { network, asset, amount: wanted };
  const { label, chain } = networkFacts[network];
  const { destination } = plan;
  const what = sum === undefined ? `all ${asset === 'usdc' ? 'USDC' : networkFacts[network].coin.symbol}` : amountOf(sum);
  return await call.commit(async (tx) => {
    const move = await holdMove(tx, context, call, {
      owner: person,
      kind: 'wallet_send',
      agentId: agent.id,
      topic: null,
      summary: `Send ${what} from the wallet of “${agent.name}” on ${label} to ${destination}.`,
      payload: {
        ...{ network, asset, destination },
        ...(request.amount !== undefined && { amount: String(request.amount) }),
        ...(request.notSentBefore === true && { not_sent_before: true }),
      },
    });
    const shown = sum === undefined ? { asset, amount: null, amount_usd: null } : presentSum(sum);
    return { data: { movement_id: null, ...shown, tx_hash: null, chain, destination, ...presentWait(move, wait) } };
  });
}

/** Queues the movement in the transaction that ends the move; the job of the movement sends it. */
export function sendRunner(context: AgentWalletsContext): MoveRunner {
  return async (move, agent) => {
    if (agent === undefined) throw new Error(`${move.id} has no agent`);
    const { amount, not_sent_before: notSentBefore, ...request } = payload.parse(move.payload);
    const plan = await planMovement(context, { agent, by: actorOf(move), purpose: 'send', ...request, amount, notSentBefore });
    return async (tx) => ({ state: 'done', resultId: (await queueMovement(context, tx, { ...plan, subject: move.id })).id });
  };
}

/** Registers the transfer of an agent's wallet as the agent's deposit, once it has arrived at the treasury. */
import { findMovement } from '../agent-wallets/index.ts';
import { again, DONE, type NextStep } from '../outgoing/index.ts';
import { endAgentDeposit, findAgentDeposit } from './agent-deposit-repository.ts';
import { takeDeposit } from './commands/register-deposit.ts';
import type { EarnContext } from './earn-context.ts';
import { findVenuePort } from './vaults.ts';

const LOOK_SECONDS = 2;
const WAIT_FOR_VENUE_SECONDS = 60;

export async function registerTransfer(context: EarnContext, movementId: string): Promise<NextStep> {
  const { database } = context;
  const row = await findAgentDeposit(database.db, movementId);
  if (row === undefined || row.state !== 'open') return DONE;
  const movement = await findMovement(database.db, movementId);
  if (movement === undefined) throw new Error(`${movementId} is gone`);
  if (movement.state === 'failed') {
    await database.transaction((tx) =>
      endAgentDeposit(tx, movementId, { state: 'failed', reason: movement.reason ?? 'Nothing was sent.' }),
    );
    return DONE;
  }
  if (movement.state !== 'confirmed' || movement.reference === null) return again(LOOK_SECONDS);
  const vault = findVenuePort(context, row.vaultKey);
  if (vault === undefined) return again(WAIT_FOR_VENUE_SECONDS);
  const deposit = await takeDeposit(
    context,
    {
      owner: { kind: 'agent', id: row.agentId },
      vault,
      reference: movement.reference,
      amountMicros: movement.amount,
      slippageBps: row.slippageBps,
      presenter: { wallets: [{ address: movement.wallet, by: 'server_wallet' }] },
      isCommitted: true,
    },
    { commit: (work) => database.transaction(work) },
  );
  // A sweep that a restore lost has the same name, and perhaps moved another amount: the sent amount counts.
  const { amount: amountMicros } = movement;
  await database.transaction((tx) => endAgentDeposit(tx, movementId, { state: 'registered', depositId: deposit.id, amountMicros }));
  return DONE;
}

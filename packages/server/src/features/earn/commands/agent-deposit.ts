/** Deposits USDC out of an agent's server wallet: the wallet pays the treasury, then the transfer is registered for the agent. */
import { formatSixUsd, formatUsd, MarketError, operations, parseUsd } from '@market/contract';
import { requireFunder } from '../../../access/authority/owners.ts';
import type { HandlersOf } from '../../../access/call.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { findMovement, followMovement, planTreasuryTransfer, queueMovement, requireAgentBudget } from '../../agent-wallets/index.ts';
import { type AgentRow, findAgent } from '../../agents/index.ts';
import { findLatestAttempt, stepJob } from '../../outgoing/index.ts';
import { type AgentDepositRow, findAgentDeposit, insertAgentDeposit } from '../agent-deposit-repository.ts';
import type { EarnContext, VaultSetting } from '../earn-context.ts';
import { registeringTransfer } from '../earn-job-names.ts';
import { requireDepositable } from '../judge-deposit.ts';
import { registerTransfer } from '../register-transfer.ts';
import { requireVenuePort } from '../vaults.ts';

type Answer = Awaited<ReturnType<HandlersOf<'earn'>['agentDeposit']>>['data'];

export function agentDeposit(context: EarnContext): HandlersOf<'earn'>['agentDeposit'] {
  return async ({ id, amount_usd, key, slippage_bps: slippageBps }, call) => {
    const agent = await findAgent(context.database.db, id);
    if (agent === undefined) throw new MarketError('agent_not_found');
    const by = await requireFunder(context.database.db, call, agent);
    await requireAgentBudget(context, call, operations.earn.deposit, `agent:${agent.id}`);
    const vault = requireVenuePort(context, { key });
    const amountMicros = parseUsd(amount_usd) ?? 0n;
    await requireDepositable(context, vault, amountMicros);
    const plan = await planTreasuryTransfer(context.agentWallets, {
      ...{ agent, by, purpose: 'earn_deposit', network: vault.network, amount: formatUsd(amountMicros) },
    });
    let movementId = '';
    await call.commit(
      async (tx) => {
        movementId = await queueTransfer(tx, context, plan, {
          ...{ agent, vault, amountMicros, slippageBps },
          bySweep: false,
          // A repeated request has the same name on chain, even if a restore lost the first.
          subject: call.keyed && `${call.keyed.name} ${vault.key} ${amountMicros}`,
        });
        return { data: compose({ movementId, vaultKey: key, amountMicros }) };
      },
      { provisional: true },
    );
    reachCrashPoint('earn.after_transfer_order');
    await followMovement(context.agentWallets, call, movementId, 'final');
    await registerTransfer(context, movementId).catch((error: unknown) =>
      call.log.warn({ err: error, movement: movementId }, 'a transfer could not be registered yet; its job carries on'),
    );
    return { data: await present(context, movementId) };
  };
}

export interface QueuedTransfer {
  readonly agent: AgentRow;
  readonly vault: VaultSetting;
  readonly amountMicros: bigint;
  readonly slippageBps: number;
  readonly bySweep: boolean;
  /** See `PlannedMovement`. */
  readonly subject: string | undefined;
}

/** Queues the movement and stores its purpose, in one transaction. */
export async function queueTransfer(
  tx: Tx,
  context: EarnContext,
  plan: Awaited<ReturnType<typeof planTreasuryTransfer>>,
  { agent, vault, amountMicros, slippageBps, bySweep, subject }: QueuedTransfer,
): Promise<string> {
  const { id } = await queueMovement(context.agentWallets, tx, {
    ...plan,
    subject,
    async store(inner, movementId) {
      await insertAgentDeposit(inner, { movementId, agentId: agent.id, vaultKey: vault.key, amountMicros, slippageBps, bySweep });
      await enqueueJobs(inner, [
        stepJob(registeringTransfer, movementId, new Date(context.clock.now().getTime() + REGISTER_SECONDS * 1000)),
      ]);
    },
  });
  reachCrashPoint('earn.before_transfer_commit');
  return id;
}

const REGISTER_SECONDS = 6;

async function present({ database }: EarnContext, movementId: string): Promise<Answer> {
  const row = await findAgentDeposit(database.db, movementId);
  const movement = await findMovement(database.db, movementId);
  if (row === undefined || movement === undefined) throw new Error(`${movementId} is gone`);
  const attempt = await findLatestAttempt(database.db, movementId);
  return compose(row, movement.reference ?? attempt?.reference ?? null);
}

function compose(
  row: Pick<AgentDepositRow, 'movementId' | 'vaultKey' | 'amountMicros'> & Partial<Pick<AgentDepositRow, 'state' | 'depositId' | 'reason'>>,
  reference: string | null = null,
): Answer {
  const { state = 'open' } = row;
  return {
    transfer_id: row.movementId,
    status: state === 'open' ? (reference === null ? 'sending' : 'sent') : state,
    amount_usd: formatSixUsd(row.amountMicros),
    key: row.vaultKey,
    tx_hash: reference,
    deposit_id: row.depositId ?? null,
    reason: row.reason ?? null,
  };
}

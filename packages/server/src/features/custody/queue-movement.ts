/** Stores the intent of a movement, its log entry and the job that carries it on. */
import type { NetworkName, WalletActor } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import { nameIntent } from '../../platform/intent-name.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { newId } from '../../platform/random.ts';
import type { AgentRow } from '../agents/index.ts';
import type { CustodyContext } from './custody-context.ts';
import { insertLogEntry } from './log-repository.ts';
import { advanceMovementJob } from './movement-jobs.ts';
import {
  type BalanceMark,
  findMovement,
  insertMovement,
  lockWallets,
  type MovementRow,
  readWalletUse,
  type WalletUse,
} from './repository.ts';

/** The request itself sends; a job takes over only when its process dies or the chain takes long. */
const TAKEOVER_SECONDS = 5;

export interface PlannedMovement {
  readonly agent: AgentRow;
  readonly purpose: MovementRow['purpose'];
  readonly by: WalletActor;
  readonly network: NetworkName;
  readonly wallet: string;
  readonly destination: string;
  readonly asset: MovementRow['asset'];
  /** The owner has looked at what left the wallet: this is not among it. */
  readonly notSentBefore?: boolean | undefined;
  /** Read before the balance that `takeAmount` compares with. */
  readonly mark: BalanceMark;
  /** The amount that leaves, or the error for too little. The wallet is locked: what others have ordered counts as gone. */
  takeAmount(use: WalletUse): bigint;
  /** What it is for: the same work has the same name on chain, also in books that were restored. Without one it has a random name. */
  readonly subject?: string | undefined;
  /** Writes what else belongs to the intent, and refuses there what changed meanwhile. */
  store?(tx: Tx, movementId: string): Promise<void>;
}

export type QueuedMovement = Pick<MovementRow, 'id' | 'agentId' | 'purpose' | 'network' | 'wallet' | 'destination' | 'asset' | 'amount'>;

export async function queueMovement({ clock }: CustodyContext, tx: Tx, plan: PlannedMovement): Promise<QueuedMovement> {
  const { agent, purpose, by, network, wallet, destination, asset } = plan;
  const agentId = agent.id;
  await lockWallets(tx, agentId);
  const amount = plan.takeAmount(await readWalletUse(tx, { agentId, network, asset }, plan.mark));
  const now = clock.now();
  const movement = { id: await nameMovement(tx, plan, now), agentId, purpose, network, wallet, destination, asset, amount };
  await insertMovement(tx, { ...movement, notSentBefore: plan.notSentBefore === true });
  await plan.store?.(tx, movement.id);
  await insertLogEntry(tx, { agentId, action: purpose, orderedBy: by, network, address: destination, movementId: movement.id });
  await enqueueJobs(tx, [advanceMovementJob(movement.id, new Date(now.getTime() + TAKEOVER_SECONDS * 1000))]);
  return movement;
}

/** The first name that is free: earlier ones of the same subject failed, or their key was used again after a day. The wallets are locked. */
async function nameMovement(tx: Tx, { agent, purpose, subject }: PlannedMovement, now: Date): Promise<string> {
  if (subject === undefined) return newId('mov', now);
  for (let earlier = 0; ; earlier += 1) {
    const id = nameIntent('mov', `movement ${agent.id} ${purpose} ${subject} ${earlier}`);
    if ((await findMovement(tx, id)) === undefined) return id;
  }
}

/**
 * Decides who may spend from, move and grant what an agent owns. Reading and acting ask `isOwner`, which also counts linked wallets. Here
 * only the owner itself counts: a linked wallet is no owner.
 */
import { MarketError, type WalletActor } from '@market/contract';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Call } from '../call.ts';
import type { Caller, Person } from '../caller.ts';
import { actsAsAnother, isOwner, type OwnedAgent } from '../ownership.ts';
import { isLinkedSince, SETTLED_LINK_HOURS } from './links-repository.ts';
import { NOT_FOR_PROGRAMS } from './require-power.ts';

/** The fields of an agent that decide who may move its money. */
export interface HeldAgent extends OwnedAgent {
  /** A wallet and an account own the agent and are not linked: the wallet has to decide first. */
  readonly ownerConflict: boolean;
  /** When the agent got its first owner, if a restore came before. */
  readonly ownedSinceRestore: Date | null;
  readonly moderationStatus: string;
}

/** The account itself owns the agent; a linked wallet does not count. A connected program holds no sign-in token. */
function ownsByAccount({ user, connection }: Caller, { ownerUserId }: OwnedAgent): boolean {
  return connection === undefined && user !== undefined && ownerUserId === user.id;
}

/** Power `fund`: the agent by its key or program, the account that owns it, or its owner wallet by session or custody signature. */
function mayFund(caller: Caller, agent: OwnedAgent): boolean {
  if (actsAsAnother(caller, agent.id)) return false;
  if (caller.agent?.id === agent.id) return caller.agent.byLink !== true;
  if (ownsByAccount(caller, agent)) return true;
  const { wallet } = caller;
  return agent.ownerWallet !== null && wallet?.address === agent.ownerWallet && (wallet.proof === 'session' || wallet.proof === 'custody');
}

/** Reads the webhook secret: the agent by its key, or the owner itself. A link, an ordinary signature or a program would keep it. */
export function mayReadSecret(caller: Caller, agent: HeldAgent): boolean {
  if (caller.connection !== undefined || !mayFund(caller, agent)) return false;
  return caller.agent?.id === agent.id || !agent.ownerConflict;
}

/**
 * Throws unless the caller may fund from the agent's wallet. Returns the proof for the custody log; a custody signature of the owner wallet
 * is spent in `tx`.
 */
export async function requireFunder(tx: Db, call: Call, agent: OwnedAgent): Promise<WalletActor> {
  const { caller } = call;
  refuseToFund(caller, agent);
  const { wallet } = caller;
  if (agent.ownerWallet !== null && wallet?.address === agent.ownerWallet) {
    if (wallet.proof === 'custody') await call.requireCustodySignature(tx, agent.ownerWallet);
    if (wallet.proof === 'custody' || wallet.proof === 'session') return 'owner_wallet';
  }
  return ownsByAccount(caller, agent) ? 'owner_account' : 'agent_key';
}

/** Checks the same without a transaction. Handlers call it before they refuse a malformed request. */
export function refuseToFund(caller: Caller, agent: OwnedAgent): void {
  if (mayFund(caller, agent)) return;
  // The refusal tells a linked account, or another proof of the owner wallet, which proof is missing.
  if (isOwner(caller, agent)) throw ownerProofMissing(caller, agent);
  throw new MarketError('forbidden', { message: 'This agent is not yours.' });
}

/**
 * The identities that grant in this call: the account and the wallet themselves, no linked wallet, no connected program. The table lets a
 * wallet grant by session or custody signature only.
 */
export function grantersOf({ user, wallet, connection }: Caller): Person[] {
  if (connection !== undefined) return [];
  return [
    ...(user === undefined ? [] : [`user:${user.id}` as const]),
    ...(wallet === undefined ? [] : [`wallet:${wallet.address}` as const]),
  ];
}

/** A custody signature is good for one grant. */
export async function spendGrant(tx: Db, call: Call): Promise<void> {
  const { wallet } = call.caller;
  if (wallet?.proof === 'custody') await call.requireCustodySignature(tx, wallet.address);
}

/** How the owner proved itself, and whether a move may leave at once. */
export interface Mover {
  readonly by: 'owner_wallet' | 'owner_account';
  /** The owner of the move if it waits. */
  readonly person: Person;
  /** Why the move has to wait; undefined: it leaves at once. */
  readonly wait: string | undefined;
}

/** How long a move waits; `payoutChangeDelaySeconds: 0` means never. */
export interface Waiting {
  readonly clock: Clock;
  readonly payoutChangeDelaySeconds: number;
}

const ACCOUNT_ALONE =
  'Only the account vouches for it. A custody signature of a wallet that has been linked for 24 hours makes it happen at once.';
const OWNED_SINCE_RESTORE =
  'The marketplace was restored from a backup, and this agent got its owner after that. An earlier owner may have been lost, so for a while nothing leaves at once.';

/**
 * After a restore, an old key is valid again and may have brought this owner. So a new owner counts after the delay, and not while the
 * agent is marked as spam.
 */
function isUnsettled(
  { ownedSinceRestore: since, moderationStatus }: HeldAgent,
  { clock, payoutChangeDelaySeconds: delay }: Waiting,
): boolean {
  if (since === null || delay === 0) return false;
  return moderationStatus === 'spam' || clock.now().getTime() < since.getTime() + delay * 1000;
}

/**
 * Power `move`. A wallet that owns the agent gives its custody signature, which is spent in `tx`. An account that owns it moves after a
 * wait. A custody signature of a wallet linked for a day skips the wait. An owner who came after a restore always waits.
 */
export async function requireMover(tx: Db, call: Call, agent: HeldAgent, waiting: Waiting): Promise<Mover> {
  const { caller } = call;
  refuseConflict(agent);
  const wait = isUnsettled(agent, waiting) ? OWNED_SINCE_RESTORE : undefined;
  if (agent.ownerWallet !== null) {
    if (caller.wallet?.address !== agent.ownerWallet && !ownsByAccount(caller, agent)) throw ownerProofMissing(caller, agent);
    await call.requireCustodySignature(tx, agent.ownerWallet);
    return { by: 'owner_wallet', person: `wallet:${agent.ownerWallet}`, wait };
  }
  if (!ownsByAccount(caller, agent)) throw ownerProofMissing(caller, agent);
  const alone = await findWaitOfAccount(tx, call, waiting);
  return { by: 'owner_account', person: `user:${agent.ownerUserId}`, wait: wait ?? alone };
}

/** Why a move of the account has to wait; undefined if a wallet linked for a day signed it, too. */
export async function findWaitOfAccount(
  tx: Db,
  call: Call,
  { clock, payoutChangeDelaySeconds: delay }: Waiting,
): Promise<string | undefined> {
  return (await hasSettledSignature(tx, call, clock.now())) || delay === 0 ? undefined : ACCOUNT_ALONE;
}

/** A wallet that has been linked to the calling account for a day signed this very call. The signature is spent in `tx`. */
async function hasSettledSignature(tx: Db, call: Call, now: Date): Promise<boolean> {
  const { user, wallet } = call.caller;
  if (user === undefined || wallet?.proof !== 'custody') return false;
  const before = new Date(now.getTime() - SETTLED_LINK_HOURS * 3_600_000);
  if (!(await isLinkedSince(tx, user.id, wallet.address, before))) return false;
  await call.requireCustodySignature(tx, wallet.address);
  return true;
}

/** Power `grant` over an agent: its owner wallet by custody signature, which is spent in `tx`, or the account that owns it. */
export async function requireGranter(tx: Db, call: Call, agent: HeldAgent): Promise<'owner_wallet' | 'owner_account'> {
  const { caller } = call;
  refuseConflict(agent);
  const isOwnerWallet = agent.ownerWallet !== null && caller.wallet?.address === agent.ownerWallet;
  if (isOwnerWallet && (caller.wallet?.proof === 'custody' || !ownsByAccount(caller, agent))) {
    await call.requireCustodySignature(tx, agent.ownerWallet as string);
    return 'owner_wallet';
  }
  if (ownsByAccount(caller, agent)) return 'owner_account';
  throw ownerProofMissing(caller, agent);
}

/** Nobody moves, grants or recovers while two owners disagree. */
export function refuseConflict({ ownerConflict, ownerWallet }: HeldAgent): void {
  if (ownerConflict) throw new MarketError('owner_conflict', { data: { wallet: ownerWallet } });
}

export function ownerProofMissing({ connection }: Caller, { ownerWallet }: OwnedAgent): MarketError {
  const message = connection === undefined ? undefined : NOT_FOR_PROGRAMS;
  return new MarketError('owner_proof_required', {
    ...(message !== undefined && { message }),
    ...(ownerWallet !== null && { data: { wallet: ownerWallet } }),
  });
}

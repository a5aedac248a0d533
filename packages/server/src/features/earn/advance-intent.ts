/** Carries a call to its venue: checks it, signs it, sends it, and books its outcome. Each kind of call decides what is its own (`call-kind.ts`). */
import { networkFacts } from '@market/contract';
import { ChainUnavailable, type SignedTransfer, TransferRefused } from '../../platform/chains/chain.ts';
import type { VenueAddress, VenueCall } from '../../platform/chains/yield-venues.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { OutflowHeld } from '../../platform/signer/outflow-limits.ts';
import type { StoredVenueCall } from '../../platform/signer/venue-limits.ts';
import { readOutflowClosed } from '../outgoing/gate/index.ts';
import {
  again,
  DONE,
  type NextStep,
  type OpenState,
  type Outgoing,
  openStates,
  POLL_SECONDS,
  settleSigned,
  signAndSend,
  signedStates,
} from '../outgoing/index.ts';
import { treasuryTurn } from '../payouts/index.ts';
import type { CallKind, Failure } from './call-kind.ts';
import { deploy } from './deploy.ts';
import type { EarnContext, VenuePort } from './earn-context.ts';
import { findIntent, type IntentRow, moveIntent, readReserved } from './intent-repository.ts';
import { allow, redeem } from './redeem.ts';
import { vaultHolder } from './vault-holder.ts';
import { findVenuePort } from './vaults.ts';

const WAIT_FOR_CHAIN_SECONDS = 5;
const WAIT_FOR_FUNDS_SECONDS = 30;
const WAIT_FOR_OPERATOR_SECONDS = 60;

const kinds: Readonly<Record<IntentRow['kind'], CallKind>> = { deposit: deploy, redeem, allow };

export async function advanceIntent(context: EarnContext, id: string): Promise<NextStep> {
  const intent = await findIntent(context.database.db, id);
  if (intent === undefined || !openStates.some((state) => state === intent.state)) return DONE;
  const vault = findVenuePort(context, intent.vaultKey);
  if (vault === undefined) return await wait(context, intent, 'the venue is not configured', WAIT_FOR_OPERATOR_SECONDS);
  try {
    if (intent.state === 'queued') return await begin(context, vault, intent);
    return await settleSigned(
      context,
      outgoingOf(context, vault, intent, async () => again(POLL_SECONDS)),
    );
  } catch (error) {
    if (error instanceof ChainUnavailable) return await wait(context, intent, error.message, WAIT_FOR_CHAIN_SECONDS);
    throw error;
  }
}

/** Money leaves only while books and chain agree. Signing finds a call that was carried out before a restore. */
async function begin(context: EarnContext, vault: VenuePort, intent: IntentRow): Promise<NextStep> {
  const closed = await context.gate.findClosed(vaultHolder(context, vault));
  if (closed !== undefined) return await hold(context, intent, closed);
  try {
    const prepared = await kinds[intent.kind].prepare(context, vault, intent);
    switch (prepared.state) {
      case 'ready': {
        const sign = () => signStored(context, vault, intent, prepared.readLeast);
        return await signAndSend(context, outgoingOf(context, vault, intent, sign));
      }
      case 'unclear':
        return again(POLL_SECONDS);
      case 'held':
        return await hold(context, intent, prepared.reason);
      case 'failed':
        return await failQueued(context, intent, { reason: prepared.reason, isRefusal: false });
      case 'ended':
        return DONE;
    }
  } catch (error) {
    if (error instanceof TransferRefused) return await refuse(context, intent, error);
    throw error;
  }
}

/** Reads the intent again: another process may have moved it. */
async function signStored(
  context: EarnContext,
  vault: VenuePort,
  { id }: IntentRow,
  readLeast: () => Promise<bigint>,
): Promise<SignedTransfer | NextStep> {
  const stored = await findIntent(context.database.db, id);
  if (stored?.state !== 'queued') return again(POLL_SECONDS);
  try {
    const minOut = await readLeast();
    // Stored first: a separate signer reads the bound from here.
    await context.database.transaction((tx) => moveIntent(tx, id, ['queued'], { state: 'queued', minOut }));
    return await context.venueSigner.sign(stored.network, callOf({ ...stored, minOut }, vault.at));
  } catch (error) {
    if (error instanceof TransferRefused) return await refuse(context, stored, error);
    if (error instanceof OutflowHeld) return await wait(context, stored, error.message, WAIT_FOR_FUNDS_SECONDS);
    throw error;
  }
}

function outgoingOf(context: EarnContext, vault: VenuePort, intent: IntentRow, sign: Outgoing['sign']): Outgoing {
  const { chain, venues } = vault;
  const call = callOf(intent, vault.at);
  return {
    id: intent.id,
    chain,
    transfer: { intentId: intent.id, destination: intent.router, asset: 'usdc', amount: intent.assets ?? 0n },
    readOutcome: (signed) => venues.readOutcome(call, signed),
    turn: treasuryTurn(chain),
    sign,
    replace: (stuck) => context.venueSigner.replace(intent.network, call, stuck),
    onConfirmed: (attempt, reference) => kinds[intent.kind].readConfirmed(context, vault, { intent, call, attempt, reference }),
    onFailed: async (_attempt, reason) => (tx) => failIntent(tx, context, intent, { from: signedStates, reason, isRefusal: true }),
  };
}

/** A call waits while the treasury lacks money, and fails when the venue refuses it. */
async function refuse(context: EarnContext, intent: IntentRow, error: TransferRefused): Promise<NextStep> {
  if (error.reason === 'insufficient_native' || error.reason === 'insufficient_usdc') {
    const { symbol } = networkFacts[intent.network].coin;
    context.log.error({ err: error, intent: intent.id, coin: symbol }, 'an intent of Earn waits for funds of the treasury');
    return await wait(context, intent, error.message, WAIT_FOR_FUNDS_SECONDS);
  }
  context.log.warn({ err: error, intent: intent.id }, 'a venue refused an intent of Earn');
  return await failQueued(context, intent, { reason: error.message, isRefusal: true });
}

/** Looks again if another process signed the call meanwhile: then the chain decides. */
async function failQueued(context: EarnContext, intent: IntentRow, failure: Failure): Promise<NextStep> {
  const hasFailed = await context.database.transaction((tx) => failIntent(tx, context, intent, { from: ['queued'], ...failure }));
  return hasFailed ? DONE : again(POLL_SECONDS);
}

/** Fails only from a state in `from`: `queued` when nobody may have signed, or the signed states once the chain proved it. False: another process moved it. */
async function failIntent(
  tx: Tx,
  context: EarnContext,
  intent: IntentRow,
  { from, ...failure }: Failure & { readonly from: readonly OpenState[] },
): Promise<boolean> {
  if (!(await moveIntent(tx, intent.id, from, { state: 'failed', reason: failure.reason }))) return false;
  await kinds[intent.kind].giveBack(tx, context, intent, failure);
  return true;
}

async function hold(context: EarnContext, intent: IntentRow, reason: string): Promise<NextStep> {
  context.log.error({ intent: intent.id, network: intent.network, reason }, 'an intent of Earn is held back');
  return await wait(context, intent, reason, WAIT_FOR_OPERATOR_SECONDS);
}

async function wait(context: EarnContext, intent: IntentRow, reason: string, seconds: number): Promise<NextStep> {
  await context.database.transaction((tx) => moveIntent(tx, intent.id, [intent.state], { state: intent.state, reason }));
  return again(seconds);
}

/** The intent keeps its contracts when the settings change. */
function callOf(
  intent: Pick<IntentRow, 'id' | 'kind' | 'assets' | 'units' | 'minOut' | 'router' | 'venue'>,
  from: VenueAddress,
): VenueCall {
  const { id: intentId, kind } = intent;
  const minOut = intent.minOut ?? 0n;
  const at = { ...from, router: intent.router, venue: intent.venue };
  if (kind === 'deposit') return { kind, intentId, at, assets: intent.assets ?? 0n, minUnits: minOut };
  if (kind === 'redeem') return { kind, intentId, at, units: intent.units ?? 0n, minAssets: minOut };
  return { kind, intentId, at };
}

/** The call that a separate signer checks, read over its own connection. */
export async function readStoredVenueCall(
  db: Db,
  id: string,
  known: readonly { readonly at: VenueAddress }[],
): Promise<StoredVenueCall | undefined> {
  const intent = await findIntent(db, id);
  if (intent === undefined) return undefined;
  const at = known.find((venue) => venue.at.venue.toLowerCase() === intent.venue.toLowerCase())?.at;
  const { state, network, venue, router } = intent;
  return {
    ...{ id, state, network },
    call: callOf(intent, at ?? { venue, router, adapter: 'erc4626' }),
    reservedMicros: intent.kind === 'deposit' ? await readReserved(db, intent) : 0n,
    closedFor: await readOutflowClosed(db),
  };
}

/**
 * Decides what the signer signs. The request only names an intent. Amount and destination come from the database over the signer's own
 * connection, limits from its own settings, and earlier signatures from its own journal.
 */
import type { NetworkName } from '@market/contract';
import { type Chain, ChainUnavailable, type OutgoingTransfer, type TransferOutcome, TransferRefused } from '../chains/chain.ts';
import type { Logger } from '../telemetry/logger.ts';
import { findAccountRefusal, findHold, isReturned, OutflowHeld, type OutflowLimits } from './outflow-limits.ts';
import type { SignAnswer, SignRequest } from './signer-channel.ts';
import type { JournalEntry, SigningJournal } from './signing-journal.ts';
import { isSameCall, type KnownVenue, requireSignable, type StoredVenueCall } from './venue-limits.ts';
import { venuesOn } from './venue-signer.ts';

/** A payout intent as the database has it. */
export interface StoredIntent {
  readonly id: string;
  readonly purpose: string;
  readonly state: string;
  readonly network: NetworkName;
  readonly destination: string;
  readonly amountMicros: bigint;
  readonly reservedMicros: bigint;
  readonly waitingMicros: bigint;
  readonly closedFor: string | null;
}

export interface SignerOptions {
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  readonly limits: OutflowLimits;
  readonly journal: SigningJournal;
  readonly log: Logger;
  readIntent(id: string): Promise<StoredIntent | undefined>;
  /** The stored call to a vault. */
  readVenueCall(id: string): Promise<StoredVenueCall | undefined>;
  /** The vaults in the signer's own settings. */
  readonly venues: readonly KnownVenue[];
}

export type Wish = Pick<SignRequest, 'intent_id' | 'kind' | 'replace'>;

export interface SignerService {
  answer(request: Wish): Promise<SignAnswer>;
}

export function createSignerService(options: SignerOptions): SignerService {
  let before: Promise<unknown> = Promise.resolve();
  return {
    /** Handles requests one at a time, so that two cannot pass one limit together. */
    answer(request) {
      const turn = before.then(() => answer(options, request));
      before = turn.catch(() => undefined);
      return turn;
    },
  };
}

async function answer(options: SignerOptions, request: Wish): Promise<SignAnswer> {
  try {
    return await (request.kind === 'venue' ? signVenueCall : sign)(options, request);
  } catch (error) {
    if (error instanceof TransferRefused) return { kind: 'refused', reason: error.reason, message: error.message };
    if (error instanceof ChainUnavailable) return { kind: 'unavailable', message: error.message };
    if (!(error instanceof OutflowHeld)) throw error;
    options.log.error({ intent: request.intent_id, reason: error.message }, 'the signer held a payout back');
    return { kind: 'held', message: error.message };
  }
}

async function sign(options: SignerOptions, { intent_id: id, replace }: Wish): Promise<SignAnswer> {
  const { journal, limits } = options;
  const intent = await options.readIntent(id);
  if (intent === undefined) throw new OutflowHeld('The signer knows no such payout.');
  if (intent.closedFor !== null) throw new OutflowHeld(intent.closedFor);
  if (!['queued', 'signed', 'sent', 'unknown'].includes(intent.state))
    throw new OutflowHeld(`The payout is ${intent.state}; nothing is signed for it.`);
  if (intent.reservedMicros !== intent.amountMicros) throw new OutflowHeld('The books do not hold the amount of this payout.');
  const chain = options.chains.get(intent.network);
  if (chain === undefined) throw new ChainUnavailable(intent.network, 'the signer has no node of this network');
  const transfer: OutgoingTransfer = { intentId: id, destination: intent.destination, asset: 'usdc', amount: intent.amountMicros };
  const earlier = await settle(options, journal.find(id));

  if (earlier !== undefined && earlier.outcome === undefined) {
    if (earlier.network !== intent.network || earlier.destination !== intent.destination || earlier.micros !== intent.amountMicros)
      throw new OutflowHeld('The payout was signed with another amount or destination, and that may still land.');
    if (!replace) return present(earlier.signed);
    const raised = await chain.replaceTransfer(transfer, earlier.signed);
    if (raised === undefined) return { kind: 'nothing' };
    await note(options, intent, raised);
    return present(raised);
  }
  if (earlier?.outcome === 'landed')
    throw new OutflowHeld(`The payout was paid with ${earlier.signed.reference}; nothing more is signed for it.`);
  if (replace) return { kind: 'nothing' };

  if (findHold(limits, figuresFor(options, intent), intent) !== undefined) await settleAll(options);
  const figures = figuresFor(options, intent);
  const held = findHold(limits, figures, intent);
  if (held !== undefined) throw new OutflowHeld(held);
  const signed = await chain.signTransfer(transfer, { refuseAccount: findAccountRefusal(limits, figures, intent.amountMicros) });
  await note(options, intent, signed);
  return present(signed);
}

async function signVenueCall(options: SignerOptions, { intent_id: id, replace }: Wish): Promise<SignAnswer> {
  const { journal, chains } = options;
  const stored = await options.readVenueCall(id);
  if (stored === undefined) throw new OutflowHeld('The signer knows no such call of a vault.');
  const { network, call } = stored;
  const venues = venuesOn(chains, network);
  const earlier = await settle(options, journal.find(id));
  if (earlier?.outcome === 'landed') {
    // Returns the bytes that are on chain, with which restored books find the outcome. Signs nothing.
    if (!replace && earlier.call !== undefined && isSameCall(earlier.call, call)) return present(earlier.signed);
    throw new OutflowHeld(`The call was carried out in ${earlier.signed.reference}; nothing more is signed for it.`);
  }
  await requireSignable(venues, options.venues, stored, earlier);
  const noteCall = async (signed: JournalEntry['signed']): Promise<SignAnswer> => {
    const micros = call.kind === 'deposit' ? call.assets : 0n;
    await journal.note({ intentId: id, network, destination: call.at.venue, micros, signed, call });
    return present(signed);
  };
  if (earlier !== undefined && earlier.outcome === undefined) {
    if (!replace) return present(earlier.signed);
    const raised = await venues.replace(call, earlier.signed);
    return raised === undefined ? { kind: 'nothing' } : await noteCall(raised);
  }
  return replace ? { kind: 'nothing' } : await noteCall(await venues.sign(call));
}

function figuresFor({ journal }: SignerOptions, intent: StoredIntent) {
  return { ...journal.readFigures(intent), waitingMicros: intent.waitingMicros };
}

async function note({ journal }: SignerOptions, intent: StoredIntent, signed: JournalEntry['signed']): Promise<void> {
  const { id: intentId, network, destination, amountMicros: micros } = intent;
  await journal.note({ intentId, network, destination, micros, returned: isReturned(intent.purpose), signed });
}

/** Asks the signer's own node for the outcome of an earlier signature. */
async function settle({ chains, journal }: SignerOptions, entry: JournalEntry | undefined): Promise<JournalEntry | undefined> {
  if (entry === undefined || entry.outcome !== undefined) return entry;
  const chain = chains.get(entry.network as NetworkName);
  if (chain === undefined) return entry;
  const outcome = await readOutcome(chain, entry);
  if (outcome.state === 'open' || (outcome.state === 'landed' && outcome.finality !== 'final')) return entry;
  await journal.end(entry.intentId, outcome.state);
  return journal.find(entry.intentId);
}

async function readOutcome(chain: Chain, { call, intentId, destination, micros: amount, signed }: JournalEntry): Promise<TransferOutcome> {
  if (call === undefined) return await chain.readOutcome({ intentId, destination, asset: 'usdc', amount }, signed);
  return (await chain.venues?.readOutcome(call, signed)) ?? { state: 'open' };
}

/** Records outcomes, so that landed transfers no longer count as open. */
async function settleAll(options: SignerOptions): Promise<void> {
  for (const entry of options.journal.listOpen()) {
    await settle(options, entry).catch((error: unknown) => {
      if (!(error instanceof ChainUnavailable)) throw error;
    });
  }
}

function present({ reference, bytes, validity, rentLamports = 0n }: JournalEntry['signed']): SignAnswer {
  return { kind: 'signed', reference, bytes, validity, rent_lamports: String(rentLamports) };
}

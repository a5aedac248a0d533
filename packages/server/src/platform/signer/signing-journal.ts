/**
 * The journal of a signer, in its own file that the service cannot change. One line per signature and per outcome, each on disk before the
 * signature leaves the process.
 */
import { mkdir, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { SignedTransfer } from '../chains/chain.ts';
import type { VenueCall } from '../chains/yield-venues.ts';
import type { OutflowFigures } from './outflow-limits.ts';

const at = z.object({
  venue: z.string(),
  router: z.string(),
  adapter: z.enum(['erc4626', 'aave_v3', 'liquidity_pool']),
  pool: z.string().optional(),
});
const amount = z.string().transform((digits) => BigInt(digits));
/** A call to a vault with the fields that finding its outcome needs. */
const storedCall = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('deposit'), at, assets: amount, minUnits: amount }),
  z.object({ kind: z.literal('redeem'), at, units: amount, minAssets: amount }),
  z.object({ kind: z.literal('allow'), at }),
]);

const line = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('signed'),
    at: z.int(),
    intent: z.string(),
    network: z.string(),
    destination: z.string(),
    micros: z.string(),
    reference: z.string(),
    bytes: z.string(),
    validity: z.string(),
    rent: z.string(),
    call: storedCall.optional(),
    returned: z.boolean().optional(),
  }),
  z.object({ kind: z.literal('ended'), intent: z.string(), outcome: z.enum(['landed', 'expired', 'failed']) }),
]);

export interface JournalEntry {
  readonly at: number;
  readonly intentId: string;
  readonly network: string;
  readonly destination: string;
  readonly micros: bigint;
  /** The money goes back to its payer. Lines of earlier versions lack this field. */
  readonly returned?: boolean | undefined;
  readonly signed: SignedTransfer;
  /** The call to a vault; undefined for a payout. USDC in a vault still belongs to the treasury and counts towards no limit. */
  readonly call?: VenueCall | undefined;
  /** Undefined as long as it may still land. */
  readonly outcome: 'landed' | 'expired' | 'failed' | undefined;
}

export interface SigningJournal {
  find(intentId: string): JournalEntry | undefined;
  listOpen(): readonly JournalEntry[];
  note(entry: Omit<JournalEntry, 'at' | 'outcome'>): Promise<void>;
  end(intentId: string, outcome: NonNullable<JournalEntry['outcome']>): Promise<void>;
  /** Figures without the intent itself. */
  readFigures(intent: {
    readonly id: string;
    readonly network: string;
    readonly destination: string;
  }): Omit<OutflowFigures, 'waitingMicros'>;
  close(): Promise<void>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export async function openSigningJournal(folder: string): Promise<SigningJournal> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, 'signatures.jsonl');
  const handle = await open(file, 'a', 0o600);
  const latest = new Map<string, JournalEntry>();
  /** Rents of the last day, also of intents that were signed again. */
  const rents: { at: number; network: string; destination: string; lamports: bigint; intentId: string; reference: string }[] = [];

  function take(text: string): void {
    const entry = line.parse(JSON.parse(text));
    if (entry.kind === 'ended') {
      const ended = latest.get(entry.intent);
      if (ended === undefined) return;
      latest.set(entry.intent, { ...ended, outcome: entry.outcome });
      const paid = rents.findLast(({ reference }) => reference === ended.signed.reference);
      if (paid !== undefined && entry.outcome === 'expired') paid.lamports = 0n;
      return;
    }
    const { at, intent: intentId, network, destination, reference, bytes, validity, returned } = entry;
    const rentLamports = BigInt(entry.rent);
    const signed = { reference, bytes, validity, rentLamports };
    const call = entry.call === undefined ? undefined : ({ ...entry.call, intentId } as VenueCall);
    const micros = BigInt(entry.micros);
    latest.set(intentId, { at, intentId, network, destination, micros, returned, signed, call, outcome: undefined });
    if (rentLamports > 0n) rents.push({ at, network, destination, lamports: rentLamports, intentId, reference });
  }

  async function write(entry: z.input<typeof line>): Promise<void> {
    const text = JSON.stringify(entry);
    await handle.write(`${text}\n`);
    await handle.sync();
    take(text);
  }

  for (const text of (await readFile(file, 'utf8')).split('\n')) if (text !== '') take(text);

  return {
    find: (intentId) => latest.get(intentId),
    listOpen: () => [...latest.values()].filter(({ outcome }) => outcome === undefined),
    async note({ intentId, network, destination, micros, returned, signed, call }) {
      const { reference, bytes, validity, rentLamports = 0n } = signed;
      const sums = { micros: String(micros), rent: String(rentLamports) };
      const more = { ...(call !== undefined && { call: presentCall(call) }), ...(returned === true && { returned }) };
      await write({ kind: 'signed', at: Date.now(), intent: intentId, network, destination, reference, bytes, validity, ...sums, ...more });
    },
    end: async (intentId, outcome) => await write({ kind: 'ended', intent: intentId, outcome }),
    readFigures({ id, network, destination }) {
      const now = Date.now();
      const others = [...latest.values()].filter(({ intentId, call }) => intentId !== id && call === undefined);
      const sum = (entries: readonly JournalEntry[]) => entries.reduce((total, { micros }) => total + micros, 0n);
      const today = rents.filter(({ at, lamports }) => now - at < DAY_MS && lamports > 0n);
      const open = others.filter(({ outcome }) => outcome === undefined);
      const ofHour = others.filter(({ at, outcome }) => now - at < HOUR_MS && outcome !== 'expired');
      return {
        openMicros: sum(open),
        hourMicros: sum(ofHour),
        openReturnedMicros: sum(open.filter(({ returned }) => returned === true)),
        hourReturnedMicros: sum(ofHour.filter(({ returned }) => returned === true)),
        dayLamports: today.reduce((total, { lamports }) => total + lamports, 0n),
        dayAccounts: today.filter((rent) => rent.network === network && rent.destination === destination).length,
      };
    },
    close: () => handle.close(),
  };
}

function presentCall(call: VenueCall): z.input<typeof storedCall> {
  const { kind, at: venue } = call;
  if (kind === 'deposit') return { kind, at: venue, assets: String(call.assets), minUnits: String(call.minUnits) };
  if (kind === 'redeem') return { kind, at: venue, units: String(call.units), minAssets: String(call.minAssets) };
  return { kind, at: venue };
}

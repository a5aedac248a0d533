/**
 * Logs and histories keep addresses, also those of calls that are refused or unknown. So a signature that stood in an address neither spends,
 * moves, grants nor recovers from then on, also in a header or a body. It is marked by its wallet and time, which needs no body and no chain to
 * verify: marking what proves nothing harms nobody.
 */
import { createHash } from 'node:crypto';
import { MarketError } from '@market/contract';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { limitedClient } from '../../platform/limits/client-address.ts';
import { canonicalWallet } from '../../platform/wallets/wallet-address.ts';
import { hasMark, insertMarks } from './seen-signatures-repository.ts';

/** A little longer than a signature is good for. */
const KEPT_MS = 17 * 60_000;
/** Per client and minute: nobody reads more with signatures in addresses, and strangers must not fill the table. */
const MOST_PER_MINUTE = 300;

export function markOfSignature(address: string, timestampMs: number): Buffer {
  return digest(`signature ${address} ${timestampMs}`);
}

export function markOfMessage(text: string): Buffer {
  return digest(`message ${text}`);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}

export interface AddressedSignatures {
  /** Marks every signature that the query of an address carries. */
  mark(query: Readonly<Record<string, unknown>>, clientAddress: string): Promise<void>;
  /** Throws when the signature stood in an address. */
  refuse(mark: Buffer): Promise<void>;
}

export function createAddressedSignatures({ db, clock }: { readonly db: Db; readonly clock: Clock }): AddressedSignatures {
  let counted = new Map<string, number>();
  let countedSince = 0;

  function mayMark(client: string, nowMs: number): boolean {
    if (nowMs - countedSince > 60_000) [counted, countedSince] = [new Map(), nowMs];
    const count = (counted.get(client) ?? 0) + 1;
    counted.set(client, count);
    return count <= MOST_PER_MINUTE;
  }

  return {
    async mark(query, clientAddress) {
      const now = clock.realNow().getTime();
      const marks = marksIn(query);
      if (marks.length > 0 && mayMark(limitedClient(clientAddress), now)) await insertMarks(db, marks, new Date(now + KEPT_MS));
    },
    async refuse(mark) {
      if (await hasMark(db, mark)) throw new MarketError('signature_already_used', { message: STOOD_IN_ADDRESS });
    },
  };
}

const STOOD_IN_ADDRESS =
  'This wallet signature was sent in an address, where logs keep it, so it moves no money and gives no rights. Sign again, and send the signature in headers or body.';

/** A field that was sent several times has several values. */
function marksIn(query: Readonly<Record<string, unknown>>): Buffer[] {
  const valuesOf = (name: string) => [query[name]].flat().filter((value) => typeof value === 'string');
  if (valuesOf('wallet_sig').length === 0) return [];
  const wallets = ['wallet', 'owner_wallet', 'client_wallet'].flatMap(valuesOf).flatMap((text) => canonicalWallet(text)?.address ?? []);
  const times = valuesOf('wallet_sig_ts').filter((text) => /^\d{1,16}$/.test(text));
  const bySignature = wallets.flatMap((address) => times.map((text) => markOfSignature(address, Number(text))));
  return [...bySignature, ...valuesOf('signed_message').map(markOfMessage)].slice(0, MOST_IN_ONE);
}

const MOST_IN_ONE = 8;

/** The tokens of a hire: issued and sealed with its answer, given out again only while they work. */
import { type OrderId, orderTokenEnd, toWireTime } from '@market/contract';
import type { Caller } from '../../../access/caller.ts';
import { insertOrderTokens, listLiveTokens, type NewOrderToken } from '../../../access/order-tokens-repository.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { newBuyerToken, newReadToken } from '../../../platform/random.ts';
import type { PurchaseResult, Recipient } from '../product.ts';
import type { X402Context } from '../x402-context.ts';

export interface IssuedTokens {
  /** Acts as the buyer. For the proven payer. */
  readonly buyer: string;
  /** Reads. For the proven payer. */
  readonly read: string;
  /** Reads. For the first presenter of a bare transfer: a public reference proves no payer. */
  readonly presenter: string | null;
  readonly expires_at: string;
  /** The connected program that asked for the hire. */
  readonly connection_id: string | null;
}

/** The tokens in a sealed answer. */
export interface StoredTokens {
  readonly tokens?: IssuedTokens;
  /** Before migration 0054: a token that acts, and one that reads. */
  readonly read_token?: string;
  readonly readers_token?: string | null;
}

export async function issueOrderTokens(
  tx: Tx,
  { secrets, clock }: X402Context,
  orderId: OrderId,
  { settledVia, connectionId }: { readonly settledVia: string; readonly connectionId: string | null },
): Promise<IssuedTokens> {
  const expiresAt = orderTokenEnd(clock.now());
  const buyer = newBuyerToken();
  const read = newReadToken();
  const presenter = settledVia === 'transfer' ? newReadToken() : null;
  const row = (token: string, rights: Pick<NewOrderToken, 'readsOnly' | 'holder'>): NewOrderToken => {
    const [tokenHash] = secrets.lookupHashes(token);
    if (tokenHash === undefined) throw new Error('there is always a current key');
    return { tokenHash, orderId, ...rights };
  };
  const rows = [
    row(buyer, { readsOnly: false, holder: 'payer' }),
    row(read, { readsOnly: true, holder: 'payer' }),
    ...(presenter === null ? [] : [row(presenter, { readsOnly: true, holder: 'presenter' })]),
  ];
  await insertOrderTokens(tx, rows, { expiresAt, connectionId });
  return { buyer, read, presenter, expires_at: toWireTime(expiresAt), connection_id: connectionId };
}

export interface GivenTokens {
  readonly read_token: string | null;
  readonly buyer_token: string | null;
  readonly token_expires_at: string | null;
}

const none: GivenTokens = { read_token: null, buyer_token: null, token_expires_at: null };

/** The tokens that this recipient may have and that still work. */
export async function tokensFor(
  db: Db,
  { secrets }: X402Context,
  stored: StoredTokens,
  { row, recipient }: PurchaseResult,
  caller: Caller,
): Promise<GivenTokens> {
  const { tokens } = stored;
  if (recipient === 'other') return none;
  // Tokens end with the connection they were issued for, so another program gets none. It reads the order by its own connection.
  if (caller.connection !== undefined && caller.connection.id !== tokens?.connection_id) return none;
  const { buyer, read } = tokensOf(stored, recipient);
  // No token has ended before the first answer.
  const live = row.toldAt === null ? undefined : await listLiveTokens(db, row.subjectId);
  const works = (token: string): boolean =>
    live === undefined || secrets.lookupHashes(token).some((hash) => live.some((one) => one.equals(hash)));
  const given = { read_token: read !== null && works(read) ? read : null, buyer_token: buyer !== null && works(buyer) ? buyer : null };
  const isGiven = given.read_token !== null || given.buyer_token !== null;
  return { ...given, token_expires_at: isGiven ? (tokens?.expires_at ?? null) : null };
}

/** A purchase from before migration 0054 has no read-only token of the payer. */
function tokensOf({ tokens, read_token: acting, readers_token: reading }: StoredTokens, recipient: Exclude<Recipient, 'other'>) {
  if (recipient === 'first') return { buyer: null, read: tokens?.presenter ?? reading ?? null };
  return { buyer: recipient === 'payer' ? (tokens?.buyer ?? acting ?? null) : null, read: tokens?.read ?? null };
}

/** The memo links a payout to its intent on chain, so that an attempt that landed unnoticed can be found again. */
const MEMO_PREFIX = 'market-payout:';
const MAX_MEMO_BYTES = 200;

/** Undefined when the id does not fit: visible ASCII only, because nodes show other memos differently. */
export function findPayoutMemo(intentId: string): string | undefined {
  const memo = `${MEMO_PREFIX}${intentId}`;
  return /^[!-~]+$/.test(intentId) && memo.length <= MAX_MEMO_BYTES ? memo : undefined;
}

/** How a node lists a transaction's only memo. */
export function listedMemo(memo: string): string {
  return `[${Buffer.byteLength(memo)}] ${memo}`;
}

/** The intent that a listed memo names; undefined for foreign memos. */
export function readListedIntent(listed: string | null | undefined): string | undefined {
  return new RegExp(`^\\[\\d+\\] ${MEMO_PREFIX}([!-~]+)$`).exec(listed ?? '')?.[1];
}

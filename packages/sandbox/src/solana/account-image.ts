// One account at one moment. Undefined means that the account does not exist: on chain, accounts without lamports do not exist.

export interface AccountImage {
  /** A number is exact, because all lamports of this chain together stay below 2^53. */
  readonly lamports: number;
  readonly owner: string;
  readonly executable: boolean;
  readonly data: Uint8Array;
}

export type MaybeAccount = AccountImage | undefined;

/** An account as the log stores it: the address alone if the account was deleted. */
export type StoredAccount =
  | readonly [address: string, lamports: number, owner: string, executable: 0 | 1, data: string]
  | readonly [string];

export function isSameAccount(a: MaybeAccount, b: MaybeAccount): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.lamports === b.lamports && a.owner === b.owner && a.executable === b.executable && Buffer.compare(a.data, b.data) === 0;
}

export function storeAccount(address: string, account: MaybeAccount): StoredAccount {
  if (account === undefined) return [address];
  const { lamports, owner, executable, data } = account;
  return [address, lamports, owner, executable ? 1 : 0, Buffer.from(data).toString('base64')];
}

export function restoreAccount(stored: StoredAccount): MaybeAccount {
  if (stored.length === 1) return undefined;
  const [, lamports, owner, executable, data] = stored;
  return { lamports, owner, executable: executable === 1, data: Buffer.from(data, 'base64') };
}

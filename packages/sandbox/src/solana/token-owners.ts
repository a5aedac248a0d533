// Token accounts that a wallet has or had. Entries are candidates only: readers check the account itself, so entries are never removed.

import type { MaybeAccount } from './account-image.ts';
import { findTokenAccount } from './token-account.ts';

export type TokenOwners = ReturnType<typeof createTokenOwners>;

export function createTokenOwners() {
  const accountsByOwner = new Map<string, Set<string>>();
  return {
    note(address: string, account: MaybeAccount): void {
      const owner = findTokenAccount(account)?.owner;
      if (owner === undefined) return;
      const known = accountsByOwner.get(owner);
      if (known === undefined) accountsByOwner.set(owner, new Set([address]));
      else known.add(address);
    },
    listCandidates: (owner: string): Iterable<string> => accountsByOwner.get(owner) ?? [],
  };
}

// Keeps earlier versions of accounts that non-final transactions changed, for reads at "confirmed" and "finalized" and for a reorg.

import type { MaybeAccount } from './account-image.ts';

interface Change {
  readonly slot: number;
  readonly address: string;
  readonly before: MaybeAccount;
}

export type AccountVersions = ReturnType<typeof createAccountVersions>;

export function createAccountVersions() {
  let changes: Change[] = [];
  const byAddress = new Map<string, Change[]>();

  function rebuild(kept: Change[]): void {
    changes = kept;
    byAddress.clear();
    for (const change of kept) index(change);
  }

  function index(change: Change): void {
    const known = byAddress.get(change.address);
    if (known === undefined) byAddress.set(change.address, [change]);
    else known.push(change);
  }

  return {
    record(slot: number, address: string, before: MaybeAccount): void {
      const change = { slot, address, before };
      changes.push(change);
      index(change);
    },

    /** The account at the end of `slot`; undefined if it has not changed since, so that the present one is right. */
    findAt(address: string, slot: number): { readonly account: MaybeAccount } | undefined {
      const later = byAddress.get(address)?.find((change) => change.slot > slot);
      return later && { account: later.before };
    },

    listChangedAfter(slot: number): Set<string> {
      return new Set(changes.filter((change) => change.slot > slot).map((change) => change.address));
    },

    forgetThrough(finalSlot: number): void {
      const firstOpen = changes.findIndex((change) => change.slot > finalSlot);
      if (firstOpen === 0 || changes.length === 0) return;
      rebuild(firstOpen < 0 ? [] : changes.slice(firstOpen));
    },

    /** Forgets all changes after `slot` and returns each changed account as it was then. */
    rollBack(slot: number): Map<string, MaybeAccount> {
      const restored = new Map<string, MaybeAccount>();
      for (const change of changes) if (change.slot > slot && !restored.has(change.address)) restored.set(change.address, change.before);
      rebuild(changes.filter((change) => change.slot <= slot));
      return restored;
    },
  };
}

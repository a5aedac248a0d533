import { useEffect, useState } from 'react';
import { type BountyDraft, dropDraft, emptyDraft, keepDraft, readDraft } from './bounty-draft.ts';

const newKey = (): string => crypto.randomUUID();

export interface KeptDraft {
  readonly draft: BountyDraft;
  change(fields: Partial<BountyDraft>): void;
  forget(): void;
}

/** The draft, saved in the browser's storage at every change. */
export function useBountyDraft(): KeptDraft {
  const [draft, setDraft] = useState<BountyDraft>(() => emptyDraft(''));
  // The server, which renders the page first, has no browser storage.
  useEffect(() => setDraft(readDraft(localStorage, newKey)), []);
  return {
    draft,
    change(fields) {
      const next = { ...draft, ...fields, postKey: newKey(), savedAt: Date.now() };
      keepDraft(localStorage, next);
      setDraft(next);
    },
    forget: () => dropDraft(localStorage),
  };
}

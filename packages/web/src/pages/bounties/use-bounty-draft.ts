import { useEffect, useState } from 'react';
import { type BountyDraft, dropDraft, emptyDraft, keepDraft, readDraft } from './bounty-draft.ts';

const newKey = (): string => crypto.randomUUID();

export interface KeptDraft {
  readonly draft: BountyDraft;
  change(fields: Partial<BountyDraft>): void;
  forget(): void;
}

/** The draft, kept in the browser's storage with every change. */
export function useBountyDraft(): KeptDraft {
  const [draft, setDraft] = useState<BountyDraft>(() => emptyDraft(''));
  // The browser's storage is missing while the server renders the page.
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

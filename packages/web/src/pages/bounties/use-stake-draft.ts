/** The claim whose stake is being paid, so that a reload goes on with its payment. */
import { useEffect, useState } from 'react';
import { readRecord } from '../../pay/payment-record.ts';
import { stakeSubject } from '../../pay/use-stake-pay.ts';
import { keepStakeDraft, readStakeDraft, type StakeDraft } from './stake-draft.ts';

export interface StakeDrafting {
  readonly draft: StakeDraft | undefined;
  /** A payment left the wallet, so it is followed to its end even if the bounty closed meanwhile. */
  readonly wasSent: boolean;
  readonly choose: (draft: StakeDraft | undefined) => void;
}

export function useStakeDraft(bountyId: string): StakeDrafting {
  const [draft, setDraft] = useState<StakeDraft>();
  const [wasSent, setWasSent] = useState(false);
  // The browser's storage is missing while the server renders the page.
  useEffect(() => {
    setDraft(readStakeDraft(localStorage, bountyId));
    setWasSent(readRecord(localStorage, stakeSubject(bountyId))?.reference !== undefined);
  }, [bountyId]);
  const choose = (next: StakeDraft | undefined): void => {
    keepStakeDraft(localStorage, bountyId, next);
    setDraft(next);
    if (next === undefined) setWasSent(false);
  };
  return { draft, wasSent, choose };
}

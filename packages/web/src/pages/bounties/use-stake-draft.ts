/** The claim whose stake is being paid, so that its payment continues after a reload. */
import { useEffect, useState } from 'react';
import { readRecord } from '../../pay/payment-record.ts';
import { stakeSubject } from '../../pay/use-stake-pay.ts';
import { keepStakeDraft, readStakeDraft, type StakeDraft } from './stake-draft.ts';

export interface StakeDrafting {
  readonly draft: StakeDraft | undefined;
  /** A payment left the wallet, so the page follows it to its end even if the bounty has closed. */
  readonly wasSent: boolean;
  readonly choose: (draft: StakeDraft | undefined) => void;
}

export function useStakeDraft(bountyId: string): StakeDrafting {
  const [draft, setDraft] = useState<StakeDraft>();
  const [wasSent, setWasSent] = useState(false);
  // The server, which renders the page first, has no browser storage.
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

/** The claim that the poster is accepting, stored in this browser so that its payment continues after a reload. */
import { useEffect, useState } from 'react';

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const keyOf = (bountyId: string): string => `market.bounty.claim.${bountyId}`;

function readChosen(store: Store, bountyId: string): string | undefined {
  return store.getItem(keyOf(bountyId)) ?? undefined;
}

function keepChosen(store: Store, bountyId: string, claimId: string | undefined): void {
  if (claimId === undefined) store.removeItem(keyOf(bountyId));
  else store.setItem(keyOf(bountyId), claimId);
}

export function useChosenClaim(bountyId: string): readonly [string | undefined, (claimId: string | undefined) => void] {
  const [chosen, setChosen] = useState<string>();
  // The server, which renders the page first, has no browser storage.
  useEffect(() => setChosen(readChosen(localStorage, bountyId)), [bountyId]);
  const choose = (claimId: string | undefined): void => {
    keepChosen(localStorage, bountyId, claimId);
    setChosen(claimId);
  };
  return [chosen, choose];
}

/** Asks for confirmation before a bounty leaves the board for good. */
import { useState } from 'react';
import { useAction } from '../../data/answers.ts';
import { ApiCalls, Button, Dialog, ErrorState, useToast } from '../../ui/index.ts';
import { countClaims } from '../shared/bounty-words.ts';
import type { BountyView } from './bounty-stand.ts';
import { takesStake } from './stake-words.ts';

export function CancelBounty({ bounty, disabledReason }: { readonly bounty: BountyView; readonly disabledReason: string | undefined }) {
  const toast = useToast();
  const [asked, setAsked] = useState(false);
  const cancel = useAction('bounties.cancel', {
    invalidates: ['bounties.get', 'bounties.my', 'bounties.list', 'bounties.stats'],
    onDone: () => {
      setAsked(false);
      toast('Bounty cancelled.');
    },
  });
  const args = { id: bounty.id, status: 'cancelled' } as const;
  return (
    <>
      <div>
        <Button size="small" disabledReason={disabledReason} onClick={() => setAsked(true)}>
          Cancel the bounty
        </Button>
      </div>
      <Dialog open={asked} onClose={() => setAsked(false)} title="Cancel this bounty?">
        <div className="stack">
          <p className="note">
            It goes off the board and cannot be opened again. {claimsEnd(bounty.claims_count)}{' '}
            {takesStake(bounty) && bounty.claims_count > 0 ? 'Their stakes go back. ' : null}You paid nothing, so nothing is refunded.
          </p>
          {cancel.error === null ? null : <ErrorState what="Not cancelled." error={cancel.error} />}
          <div className="actions">
            <Button kind="ink" busy={cancel.isPending ? 'Cancelling' : undefined} onClick={() => cancel.mutate(args)}>
              Cancel the bounty
            </Button>
            <Button onClick={() => setAsked(false)}>Keep it</Button>
          </div>
          <ApiCalls calls={[{ name: 'bounties.cancel', args }]} />
        </div>
      </Dialog>
    </>
  );
}

function claimsEnd(count: number): string {
  if (count === 0) return 'Nobody has claimed it.';
  return `Its ${countClaims(count)} ${count === 1 ? 'is' : 'are'} rejected, and the owners are notified.`;
}

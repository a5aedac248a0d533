/** The state of the bounty, and the one next step of the viewer. */
import { useNavigation } from '../../router/router.tsx';
import { sitePaths } from '../../site-paths.ts';
import { Button, Clock, Panel, useNow } from '../../ui/index.ts';
import { useSentenceParts } from '../orders/order/sentence-parts.ts';
import { isOpen } from '../shared/bounty-words.ts';
import { draftOf, keepDraft } from './bounty-draft.ts';
import { type BountyView, sideOf, standOf } from './bounty-stand.ts';
import { CancelBounty } from './cancel-bounty.tsx';
import { ExtendBounty } from './extend-bounty.tsx';

export interface MovePanelProps {
  readonly bounty: BountyView;
  /** Why the bounty cannot be cancelled now. */
  readonly cancelDisabledReason: string | undefined;
}

export function MovePanel({ bounty, cancelDisabledReason }: MovePanelProps) {
  const now = useNow();
  const stand = standOf(bounty, now, useSentenceParts());
  const open = isOpen(bounty, now);
  return (
    <Panel title={stand.title} kind={stand.yours ? 'move' : 'plain'}>
      <div className="stack">
        {open ? (
          <Clock from={bounty.created_at} until={bounty.expires_at}>
            {stand.sentence}
          </Clock>
        ) : (
          <p>{stand.sentence}</p>
        )}
        {bounty.order_id === null ? null : (
          <Button kind="ink" wide size="tall" href={sitePaths.order(bounty.order_id)}>
            Open the order
          </Button>
        )}
        {stand.yours ? (
          <Button kind="primary" wide size="tall" href="#claims">
            Compare the claims
          </Button>
        ) : null}
        {sideOf(bounty) === 'poster' ? <PosterActs bounty={bounty} cancelDisabledReason={cancelDisabledReason} /> : null}
      </div>
    </Panel>
  );
}

function PosterActs({ bounty, cancelDisabledReason }: MovePanelProps) {
  const { navigate } = useNavigation();
  if (bounty.status === 'open')
    return (
      <div className="actions">
        <ExtendBounty bounty={bounty} />
        <CancelBounty bounty={bounty} disabledReason={cancelDisabledReason} />
      </div>
    );
  if (bounty.status !== 'expired' && bounty.status !== 'cancelled') return null;
  const again = (): void => {
    keepDraft(localStorage, draftOf(bounty, crypto.randomUUID()));
    void navigate(sitePaths.newBounty);
  };
  return (
    <div>
      <Button onClick={again}>Post it again</Button>
    </div>
  );
}

/** Claiming with a stake means paying it. The page follows the payment to its end, in any tab and after a reload. */
import { useEffect, useRef } from 'react';
import { isUnderWay } from '../../pay/pay-machine.ts';
import { StakePayPanel } from '../../pay/stake-pay-panel.tsx';
import { useStakePay } from '../../pay/use-stake-pay.ts';
import { Amount, Avatar, Button, Panel, useToast } from '../../ui/index.ts';
import type { BountyView } from './bounty-stand.ts';
import type { StakeDraft } from './stake-draft.ts';

export interface StakePanelProps {
  readonly bounty: BountyView;
  readonly draft: StakeDraft;
  readonly onBack: () => void;
}

export function StakePanel({ bounty, draft, onBack }: StakePanelProps) {
  const toast = useToast();
  const pay = useStakePay({
    bounty,
    claim: draft,
    onPaid: () => {
      toast(`${draft.agentName} has claimed it.`);
      onBack();
    },
  });
  const { state } = pay;
  const isStuck = state.phase === 'failed' && state.trouble === 'turned_down' && state.reference !== undefined;
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    head.current?.focus({ preventScroll: true });
    head.current?.scrollIntoView({ block: 'start' });
  }, []);
  return (
    <div className="accepting">
      <div className="heading">
        <h2 ref={head} tabIndex={-1}>
          Claim with {draft.agentName}
        </h2>
        <Avatar id={draft.agentId} size={28} />
      </div>
      {draft.message === '' ? null : <p className="typed said">{draft.message}</p>}
      <StakePayPanel bounty={bounty} claim={draft} pay={pay} />
      {isStuck ? (
        <p className="note" role="status">
          Your payment is not used up. It can pay for another claim of the same stake, or an operator sends it back.
        </p>
      ) : null}
      {isUnderWay(state) && !isStuck ? null : (
        <div>
          <Button size="small" onClick={onBack}>
            Back to the claim
          </Button>
        </div>
      )}
    </div>
  );
}

/** The amount of the stake, and when it is returned. */
export function StakeTerms({ bounty }: { readonly bounty: BountyView }) {
  return (
    <Panel title="The stake">
      <div className="stack">
        <p>
          Each claim leaves <Amount usd={bounty.claim_stake_usd} /> with the marketplace, so that only those claim who mean it.
        </p>
        <p className="note">
          It comes back in full, to the wallet that paid it: at once when another claim is chosen, when the agent withdraws, and when the
          bounty is cancelled or expires; to the winner when its order ends.
        </p>
        <p className="note">
          Only a winner who delivers nothing in time loses it. Then {bounty.viewer_is_poster ? 'you get' : 'the poster gets'} it.
        </p>
      </div>
    </Panel>
  );
}

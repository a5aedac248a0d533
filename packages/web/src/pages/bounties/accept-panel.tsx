/** Accepting a claim means paying for it. The page follows the payment to its end, in any tab and after a reload. */
import { useEffect, useRef } from 'react';
import { BountyPayPanel } from '../../pay/bounty-pay-panel.tsx';
import { isUnderWay } from '../../pay/pay-machine.ts';
import { useBountyPay } from '../../pay/use-bounty-pay.ts';
import { Avatar, Button } from '../../ui/index.ts';
import type { BountyView } from './bounty-stand.ts';
import type { Claim } from './claims-panel.tsx';

export interface AcceptPanelProps {
  readonly bounty: BountyView;
  readonly claim: Claim;
  readonly onBack: () => void;
  readonly onPaid: (orderId: string) => void;
  /** Called when a payment may have left the wallet, so that no other claim is offered meanwhile. */
  readonly onUnderWay: (underWay: boolean) => void;
}

export function AcceptPanel({ bounty, claim, onBack, onPaid, onUnderWay }: AcceptPanelProps) {
  const pay = useBountyPay({ bounty, claimId: claim.id, onPaid });
  const { state } = pay;
  const underWay = isUnderWay(state);
  // A payment that was refused for this claim may pay for another one.
  const isStuck = state.phase === 'failed' && state.trouble === 'turned_down' && state.reference !== undefined;
  const head = useRef<HTMLHeadingElement>(null);
  const locked = underWay && !isStuck;
  // biome-ignore lint/correctness/useExhaustiveDependencies: reported when it changes
  useEffect(() => onUnderWay(locked), [locked]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each claim that is chosen brings the panel into view
  useEffect(() => {
    head.current?.focus({ preventScroll: true });
    head.current?.scrollIntoView({ block: 'start' });
  }, [claim.id]);
  return (
    <div className="accepting" id="accept">
      <div className="heading">
        <h2 ref={head} tabIndex={-1}>
          Accept {claim.agent_name}
        </h2>
        <Avatar id={claim.agent_id} size={28} />
      </div>
      <BountyPayPanel bounty={bounty} claim={{ id: claim.id, agentName: claim.agent_name }} pay={pay} />
      {isStuck ? (
        <p className="note" role="status">
          Your payment is not used up. Choose another claim and it pays for that one; or an operator sends it back.
        </p>
      ) : null}
      {underWay ? null : (
        <div>
          <Button size="small" onClick={onBack}>
            Back to all claims
          </Button>
        </div>
      )}
    </div>
  );
}

import { bountyLimits, feeOf, formatUsd, withFeeOnTop } from '@market/contract';
import { useFacts } from '../../data/site-facts.ts';
import { BigAmount, formatDays, formatHours, Panel } from '../../ui/index.ts';
import { type BountyDraft, budgetMicros } from './bounty-draft.ts';
import { RewardDrawing } from './reward-drawing.tsx';

/** The cost of accepting a claim, updated while the budget is typed. */
export function CostPanel({ draft }: { readonly draft: BountyDraft }) {
  const { serviceName } = useFacts();
  const micros = budgetMicros(draft);
  return (
    <Panel title="What it costs">
      <div className="stack">
        {micros === undefined ? (
          <p className="note">
            Posting costs nothing. Accepting a claim costs the budget and 10% on top: the winner gets the whole budget, {serviceName} the
            10%. Type a budget of at least {bountyLimits.leastBudgetUsd} USDC and both stand here.
          </p>
        ) : (
          <>
            <BigAmount usd={formatUsd(withFeeOnTop(micros))} unit="USDC when you accept a claim" />
            <RewardDrawing
              budgetUsd={formatUsd(micros)}
              feeUsd={formatUsd(feeOf(micros))}
              totalUsd={formatUsd(withFeeOnTop(micros))}
              payer="You"
            />
          </>
        )}
        <p className="note">
          Agents claim for {formatDays(draft.openDays)}, and each claim waits {formatHours(draft.windowHours)} for you. If you accept
          nobody, the bounty expires and costs nothing. Once accepted, the money is held until you accept the work; if nothing is delivered
          in time, all of it comes back.
        </p>
      </div>
    </Panel>
  );
}

import { orderDurations } from '@market/contract';

/** The market's rules about refunds, in the order a buyer may need them. */
export function Refunds({ agentName }: { readonly agentName: string }) {
  const rules = [
    ['Before work starts', 'You cancel, and all of it comes back to the wallet that paid.'],
    ['Not delivered in time', 'The order is cancelled by the clock and all of it comes back.'],
    [`${agentName} declines or gives up`, 'All of it comes back.'],
    [
      `After delivery, ${orderDurations.reviewHours} hours`,
      'Accept, ask for a revision, or open a dispute. Silence releases the money, and it cannot be called back.',
    ],
    ['In a dispute', 'Both sides state their case, a person rules: release, refund or a split. Nothing moves before.'],
  ] as const;
  return (
    <dl className="rules">
      {rules.map(([when, what]) => (
        <div key={when}>
          <dt>{when}</dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  );
}

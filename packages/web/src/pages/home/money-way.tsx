import { orderDurations } from '@market/contract';

const steps = [
  ['Not paid', 'You see the amount, the receiver and the chain before your wallet opens.', '180.00 in your wallet'],
  ['Held', 'Escrow has it. Cancel before work starts and all of it comes back.', '180.00 in escrow'],
  [
    'In review',
    `You have ${orderDurations.reviewHours} hours to accept, ask for a revision or dispute. The clock is on the page.`,
    '180.00 in escrow',
  ],
  ['Released', 'The agent is paid on chain. You both get a receipt with the transaction.', '162.00 agent, 18.00 fee'],
] as const;

/** An example, labelled as such, of the four states that every order page shows. */
export function MoneyWay() {
  return (
    <section className="section" aria-labelledby="way">
      <div className="wrap">
        <div className="heading">
          <h2 id="way">Where your money is</h2>
        </div>
        <p className="mute money-way-lead">
          An order of 180.00 USDC, from payment to payout. The same four words appear on every order page.
        </p>
        <ol className="money-way">
          {steps.map(([name, words, where], index) => (
            <li key={name} data-l={index}>
              <h3>{name}</h3>
              <p>{words}</p>
              <span className="mono">{where}</span>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}

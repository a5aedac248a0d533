/** The state of a deposit or withdrawal: four steps, one sentence, and its transactions. */
import { Amount, Hash, MoneyLine, type MoneyStep, Sum, type SumLine, Time } from '../../ui/index.ts';
import { centsOf, type Movement } from './earn-words.ts';
import { QueueDrawing } from './queue-drawing.tsx';

interface Stand {
  readonly at: MoneyStep;
  readonly over?: boolean;
  readonly names: Partial<Record<MoneyStep, string>>;
}

const INTO = { paid: 'Sent', held: 'Received', in_review: 'Going in', released: 'In the venue' } as const;
const BACK = { ...INTO, in_review: 'Going back', released: 'Returned' } as const;
const OUT = { paid: 'Asked for', held: 'Waiting', in_review: 'Coming out', released: 'Paid' } as const;

const stands: Readonly<Record<Movement['status'], Stand>> = {
  received: { at: 'held', names: INTO },
  deploying: { at: 'in_review', names: INTO },
  deployed: { at: 'released', over: true, names: INTO },
  refunding: { at: 'in_review', names: BACK },
  refunded: { at: 'released', over: true, names: BACK },
  held: { at: 'held', names: { ...INTO, held: 'Held for you' } },
  queued: { at: 'held', names: OUT },
  redeeming: { at: 'in_review', names: OUT },
  paying: { at: 'in_review', names: { ...OUT, in_review: 'On its way' } },
  settled: { at: 'released', over: true, names: OUT },
};

export function MovementState({ movement, waiting }: { readonly movement: Movement; readonly waiting?: number | undefined }) {
  const { place, ahead_micro, estimate_at } = movement;
  return (
    <div className="stack earn-state">
      <MoneyLine {...stands[movement.status]} />
      <p role="status">{movement.state_text}</p>
      {place === null ? null : <QueueDrawing place={place} waiting={waiting} aheadMicros={ahead_micro} />}
      {movement.kind === 'withdraw' && place !== null ? (
        <p className="note">
          {estimate_at === null ? (
            'When it is paid cannot be estimated: the venue freed no USDC lately.'
          ) : (
            <>
              Estimated for <Time at={estimate_at} style="sentence" />, from what the venue freed lately.
            </>
          )}{' '}
          What waits keeps earning and losing.
        </p>
      ) : null}
      <Sum small lines={factsOf(movement)} />
    </div>
  );
}

function factsOf(movement: Movement): readonly SumLine[] {
  const lines: SumLine[] = [];
  const { explorer_url: explorer, value_micro_estimate: left } = movement;
  const transaction = (label: string, hash: string | null) => {
    if (hash === null) return;
    lines.push({ label, value: <Hash value={hash} href={explorer === null ? undefined : `${explorer}${hash}`} what="transaction" /> });
  };
  if (movement.kind === 'withdraw' && left !== null && left !== '0')
    lines.push({ label: 'Still in the venue, worth now', value: <Amount usd={centsOf(left)} /> });
  if (movement.destination !== null) lines.push({ label: 'To', value: <Hash value={movement.destination} what="wallet" /> });
  transaction('Your transfer', movement.incoming_tx_hash);
  transaction('Into the venue', movement.deploy_tx_hash);
  transaction('Sent back', movement.refund_tx_hash);
  for (const part of movement.parts) {
    lines.push({ label: `Part ${part.number}`, value: <Amount usd={centsOf(part.received_micro)} /> });
    transaction(`Part ${part.number}, out of the venue`, part.redeem_tx_hash);
    transaction(`Part ${part.number}, to you`, part.payout_tx_hash);
  }
  return lines;
}

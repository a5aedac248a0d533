import { Amount, Button, formatHours, Panel, Sum, Time } from '../../../../ui/index.ts';
import type { PlainAct } from '../next-step/order-acts.ts';
import { isAllowed, type OrderView } from '../order-view.ts';
import { useSentenceParts } from '../sentence-parts.ts';

/** The provider's offer, with all that the buyer needs to agree or refuse: purpose, note and total. */
export function OfferPanel({ view, onAsk }: { readonly view: OrderView; readonly onAsk: (act: PlainAct) => void }) {
  const format = useSentenceParts();
  const { order, money, timeline } = view;
  const offer = timeline.findLast(({ action }) => action === 'quote');
  if (order.price_type !== 'quote' || money.price_usd === null || offer === undefined) return null;
  return (
    <Panel
      title={`${order.provider_name} offers`}
      aside={
        <>
          since <Time at={offer.at} style="list" />
        </>
      }
    >
      <div className="stack">
        <Sum
          lines={[
            { label: order.service_title, value: <Amount usd={money.price_usd} bare /> },
            { label: `Delivered within ${formatHours(order.turnaround_hours)} of payment`, value: '', kind: 'part' },
            { label: 'You pay', value: <Amount usd={money.price_usd} />, kind: 'total' },
          ]}
        />
        {offer.note === null ? null : <p className="typed">{noteOf(offer.note)}</p>}
        <div className="order-half">
          {isAllowed(view, 'pay') ? (
            <Button kind="primary" href="#pay" wide>
              {`Agree and pay ${format.amount(money.price_usd)}`}
            </Button>
          ) : null}
          {isAllowed(view, 'cancel') ? (
            <Button wide onClick={() => onAsk('cancel')}>
              Refuse
            </Button>
          ) : null}
        </div>
      </div>
    </Panel>
  );
}

/** The step's note begins with the price, which the panel already shows. */
function noteOf(note: string): string {
  return note.replace(/^[\d.,]+ USDC\.? ?/, '');
}

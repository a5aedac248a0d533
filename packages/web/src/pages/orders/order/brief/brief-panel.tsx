import { OutsideLink, Panel } from '../../../../ui/index.ts';
import { splitBrief } from '../../../shared/brief-parts.ts';
import { Criteria } from '../../../shared/criteria.tsx';
import { useSteadyUrl } from '../delivery/steady-url.ts';
import type { OrderView } from '../order-view.ts';

/** The order's brief: the text, the answers to the provider's questions, links and pictures. */
export function BriefPanel({ view }: { readonly view: OrderView }) {
  const { order, viewer_role } = view;
  // The brief of a bounty ends with its criteria.
  const { text, criteria } = order.kind === 'bounty' ? splitBrief(order.brief) : { text: order.brief, criteria: [] };
  const answers = Object.entries(order.requirement_answers ?? {});
  return (
    <Panel title={viewer_role === 'buyer' ? 'Your brief' : 'The brief'} aside={contentsOf(view)}>
      <div className="stack order-brief">
        <p className="typed">{text}</p>
        {criteria.length === 0 ? null : (
          <>
            <h3>Done when</h3>
            <Criteria criteria={criteria} />
          </>
        )}
        {answers.length === 0 ? null : (
          <dl>
            {answers.map(([question, answer]) => (
              <div key={question}>
                <dt>{question}</dt>
                <dd className="typed">{String(answer)}</dd>
              </div>
            ))}
          </dl>
        )}
        {order.reference_urls.length === 0 ? null : (
          <ul>
            {order.reference_urls.map((url) => (
              <li key={url}>
                <OutsideLink url={url} />
              </li>
            ))}
          </ul>
        )}
        {order.reference_images.length === 0 ? null : (
          <ul className="order-images">
            {order.reference_images.map((url, index) => (
              <li key={url.split('?')[0]}>
                <ReferenceImage url={url} number={index + 1} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </Panel>
  );
}

function ReferenceImage({ url, number }: { readonly url: string; readonly number: number }) {
  const steady = useSteadyUrl(url);
  return <img src={steady.url} alt={`Reference ${number}`} loading="lazy" onError={steady.renew} />;
}

function contentsOf({ order }: OrderView): string | undefined {
  const count = (number: number, one: string, many: string) => (number === 0 ? [] : [number === 1 ? `1 ${one}` : `${number} ${many}`]);
  const parts = [
    ...count(Object.keys(order.requirement_answers ?? {}).length, 'answer', 'answers'),
    ...count(order.reference_urls.length, 'link', 'links'),
    ...count(order.reference_images.length, 'picture', 'pictures'),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
}

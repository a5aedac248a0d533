import { OutsideLink } from '../../ui/index.ts';
import { useSteadyUrl } from '../orders/order/delivery/steady-url.ts';
import { splitBrief } from '../shared/brief-parts.ts';
import { Criteria } from '../shared/criteria.tsx';
import type { BountyView } from './bounty-stand.ts';

/** The task in the poster's words, its criteria as a checklist, and the attachments. */
export function BriefSection({ bounty }: { readonly bounty: BountyView }) {
  const { text, criteria } = splitBrief(bounty.brief);
  return (
    <section className="bounty-brief" aria-labelledby="brief-head">
      <h2 id="brief-head">The task</h2>
      <p className="typed">{text}</p>
      {criteria.length === 0 ? null : (
        <>
          <h3>Done when</h3>
          <Criteria criteria={criteria} />
        </>
      )}
      {bounty.reference_urls.length === 0 ? null : (
        <>
          <h3>Links</h3>
          <ul className="stack">
            {bounty.reference_urls.map((url) => (
              <li key={url}>
                <OutsideLink url={url} />
              </li>
            ))}
          </ul>
        </>
      )}
      {bounty.reference_images.length === 0 ? null : (
        <ul className="bounty-images">
          {bounty.reference_images.map((url, index) => (
            <li key={url.split('?')[0]}>
              <ReferenceImage url={url} number={index + 1} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function ReferenceImage({ url, number }: { readonly url: string; readonly number: number }) {
  const steady = useSteadyUrl(url);
  return <img src={steady.url} alt={`Reference ${number}`} loading="lazy" onError={steady.renew} />;
}

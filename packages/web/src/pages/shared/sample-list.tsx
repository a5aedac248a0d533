import './sample-list.css';
import type { Answer } from '../../data/answers.ts';
import { Empty, Time } from '../../ui/index.ts';

export type Sample = Answer<'portfolio.list'>['data'][number];

/** Results of real orders whose buyers allow them to be shown. */
export function SampleList({ samples }: { readonly samples: readonly Sample[] }) {
  if (samples.length === 0) return <Empty>Nothing to show yet. Results appear here when buyers allow it.</Empty>;
  return (
    <ul className="samples">
      {samples.map((sample) => (
        <li key={sample.source_id}>
          <figure>
            <Result sample={sample} />
            <figcaption>
              <b>{sample.service_title}</b>
              <span className="meta">
                <Time at={sample.created_at} style="day" />
              </span>
              <span className="note">Asked for: {sample.prompt}</span>
            </figcaption>
          </figure>
        </li>
      ))}
    </ul>
  );
}

function Result({ sample }: { readonly sample: Sample }) {
  const { deliverable_url: url, deliverable_media_type: type, content, service_title } = sample;
  if (url !== null && type === 'image')
    return (
      <a href={url} target="_blank" rel="noreferrer noopener">
        <img src={url} alt={`Result of ${service_title}`} loading="lazy" width={320} height={240} />
      </a>
    );
  if (content !== null && content !== '') return <p className="typed excerpt">{content}</p>;
  if (url === null) return null;
  return (
    <a className="file" href={url} target="_blank" rel="noreferrer noopener">
      Open the {type ?? 'file'}
    </a>
  );
}

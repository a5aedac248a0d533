/** One delivered item: shown in place if that is safe, and always downloadable. No item ever runs as a page. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAnswer } from '../../../../data/answers.ts';
import { useFacts } from '../../../../data/site-facts.ts';
import { Button, CopyButton, formatBytes, OutsideLink } from '../../../../ui/index.ts';
import type { Deliverable } from '../order-view.ts';
import { fileKind, isOwnFile, useFileFacts } from './file-facts.ts';
import { useSteadyUrl } from './steady-url.ts';

export function DeliverableItem({ item, number }: { readonly item: Deliverable; readonly number: number }) {
  const { apiUrl } = useFacts();
  const { deliverable_url: url, content, deliverable_media_type: type, is_preview } = item;
  if (content !== null) return <TextItem text={content} label={type === 'code' ? `Code ${number}` : `Text ${number}`} />;
  if (url === null) return is_preview ? <PreviewToCome orderId={item.order_id} /> : <p className="note">Nothing to show.</p>;
  if (!isOwnFile(url, apiUrl)) return <LinkItem url={url} kind={type ?? 'link'} />;
  return (
    <div className="deliverable">
      {type === 'image' ? <Picture key={`${item.id}${is_preview}`} url={url} number={number} preview={is_preview} /> : null}
      {type === 'video' ? <Film key={item.id} url={url} number={number} /> : null}
      <FileRow item={item} url={url} />
    </div>
  );
}

const PREVIEW_MS = 1_500;

/** No event announces a finished preview, so the order is polled while one is missing. */
function PreviewToCome({ orderId }: { readonly orderId: string }) {
  useAnswer('orders.get', { id: orderId }, { everyMs: PREVIEW_MS });
  return <p className="note">The preview is being made. It appears here by itself.</p>;
}

function LinkItem({ url, kind }: { readonly url: string; readonly kind: string }) {
  return (
    <div className="deliverable-row">
      <span className="file-kind">{kind.toUpperCase()}</span>
      <span>
        <OutsideLink url={url} />
        <br />
        <span className="meta">Leads away from here, to {URL.parse(url)?.host}</span>
      </span>
    </div>
  );
}

function Picture({ url, number, preview }: { readonly url: string; readonly number: number; readonly preview: boolean }) {
  const steady = useSteadyUrl(url);
  return (
    <figure className="deliverable-view">
      <img src={steady.url} alt={`Deliverable ${number}`} loading="lazy" onError={steady.renew} />
      {preview ? <figcaption>Preview, reduced and marked. The original opens when you accept.</figcaption> : null}
    </figure>
  );
}

function Film({ url, number }: { readonly url: string; readonly number: number }) {
  const steady = useSteadyUrl(url);
  return (
    <figure className="deliverable-view">
      {/* biome-ignore lint/a11y/useMediaCaption: somebody else's film comes without captions */}
      <video src={steady.url} controls preload="metadata" aria-label={`Deliverable ${number}, video`} onError={steady.renew} />
    </figure>
  );
}

function FileRow({ item, url }: { readonly item: Deliverable; readonly url: string }) {
  // Preview and original are two files with different names.
  const facts = useFileFacts(`${item.id}${item.is_preview ? ' preview' : ''}`, url);
  const isText = facts?.type === 'text/plain';
  const [reading, setReading] = useState(false);
  const { is_preview: preview, deliverable_media_type: type } = item;
  return (
    <>
      <div className="deliverable-row">
        <span className="file-kind">{fileKind(facts, type)}</span>
        <span>
          <span className="name">{preview ? 'Preview' : (facts?.name ?? 'File')}</span>
          <br />
          <span className="meta">{facts?.bytes === undefined ? (type ?? 'file') : formatBytes(facts.bytes)}</span>
        </span>
        <span className="actions">
          {isText ? (
            <Button size="small" onClick={() => setReading(!reading)}>
              {reading ? 'Hide' : 'Read'}
            </Button>
          ) : null}
          <a href={url} download={preview ? true : (facts?.name ?? true)}>
            Download{facts === undefined ? '' : <span className="visually-hidden"> {facts.name}</span>}
          </a>
        </span>
      </div>
      {reading ? <FileText id={item.id} url={url} name={facts?.name ?? 'File'} /> : null}
    </>
  );
}

const READ_AT_MOST = 40_000;

/** Text files are served and shown as plain text, whatever they claim to be. */
function FileText({ id, url, name }: { readonly id: string; readonly url: string; readonly name: string }) {
  const { data, error } = useQuery({
    queryKey: ['file-text', id],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const answer = await fetch(url, { headers: { range: `bytes=0-${READ_AT_MOST - 1}` }, signal });
      if (!answer.ok) throw new Error(`the file answered ${answer.status}`);
      return await answer.text();
    },
  });
  if (error !== null) return <p className="note">The file could not be read here. Download it instead.</p>;
  if (data === undefined) return <p className="note">Reading.</p>;
  return (
    <>
      <TextItem text={data} label={name} />
      {data.length >= READ_AT_MOST ? <p className="note">The beginning of the file. Download it for the rest.</p> : null}
    </>
  );
}

function TextItem({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <figure className="deliverable-text">
      <figcaption>
        <span className="mono">{label}</span>
        <CopyButton text={text} what="text" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long texts scroll, and the keyboard must be able to */}
      <section tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
    </figure>
  );
}

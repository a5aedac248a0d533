/** A link from a user. It shows the full URL as text and asks before leaving the site. */
import './outside-link.css';
import { useState } from 'react';
import { Dialog } from '../feedback/dialog.tsx';
import { Button } from '../inputs/button.tsx';

export function OutsideLink({ url, children }: { readonly url: string; readonly children?: string }) {
  const [asked, setAsked] = useState(false);
  const host = URL.parse(url)?.host ?? url;
  return (
    <>
      <button className="link-button" type="button" onClick={() => setAsked(true)}>
        {children ?? url}
      </button>
      <Dialog open={asked} onClose={() => setAsked(false)} title={`This leads to ${host}`}>
        <p className="note">The link was written by the other side and leads away from here. Check the address before you open it.</p>
        <p className="mono outside-address">{url}</p>
        <div className="actions">
          <a className="button ink" href={url} target="_blank" rel="noreferrer noopener nofollow" onClick={() => setAsked(false)}>
            Open {host}
          </a>
          <Button onClick={() => setAsked(false)}>Stay here</Button>
        </div>
      </Dialog>
    </>
  );
}

/** The program that asks. Only the hosts are verified; the rest is its own claim. */
import { connectionLimits } from '@market/contract';
import { sitePaths } from '../../site-paths.ts';
import { OutsideLink } from '../../ui/index.ts';
import type { ConsentDetails } from './consent-calls.ts';

export function ProgramFacts({ details }: { readonly details: ConsentDetails }) {
  const { client_name: name, client_uri: uri, redirect_host: host, is_on_this_computer: isHere, published_by: publisher, person } = details;
  return (
    <aside className="stack loose" aria-label="Who asks">
      <section aria-labelledby="who-asks">
        <h2 id="who-asks">Who asks</h2>
        <ul className="ledger">
          <li className="facts-row">
            <span className="meta">Calls itself</span>
            <span className="typed">{name}</span>
          </li>
          <li className="facts-row">
            <span className="meta">Sends you back to</span>
            <b className="mono">{host}</b>
          </li>
          <li className="facts-row">
            <span className="meta">Described by</span>
            <span className={publisher === null ? undefined : 'mono'}>{publisher ?? 'itself'}</span>
          </li>
          {uri === null ? null : (
            <li className="facts-row">
              <span className="meta">Its page</span>
              <OutsideLink url={uri} />
            </li>
          )}
          <li className="facts-row">
            <span className="meta">You are</span>
            <span className="typed">{person}</span>
          </li>
        </ul>
      </section>
      <p className="note">
        {publisher === null ? 'Nobody checked this name. ' : ''}
        {isHere
          ? 'The program runs on this computer. Allow it only if you started it just now.'
          : `Allow it only if you know ${host} and began this there.`}
      </p>
      <p className="note">
        The connection ends after {connectionLimits.connectionDays} days. You can change or end it at any time under{' '}
        <a href={sitePaths.connections}>Connected programs</a>.
      </p>
    </aside>
  );
}

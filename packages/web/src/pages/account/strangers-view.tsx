/** Preview of the unsaved profile as signed-out visitors will see it. */
import { shorten } from '../../ui/index.ts';

export interface StrangersViewProps {
  readonly name: string;
  readonly username: string;
  readonly bio: string;
  readonly wallets: readonly string[];
  readonly handle: string | null;
}

export function StrangersView({ name, username, bio, wallets, handle }: StrangersViewProps) {
  return (
    <details className="chart-table">
      <summary>Preview as a stranger</summary>
      <ul className="ledger" aria-label="What strangers see">
        <li>
          <b className="typed">{name}</b>
          {name === username ? null : <span className="meta"> {username}</span>}
        </li>
        {bio === '' ? null : <li className="typed">{bio}</li>}
        {handle === null ? null : <li>X: {handle}</li>}
        {wallets.length === 0 ? (
          <li className="meta">No wallet. Nobody learns which wallets are yours.</li>
        ) : (
          wallets.map((address) => (
            <li key={address} className="mono">
              {shorten(address)}
            </li>
          ))
        )}
      </ul>
    </details>
  );
}

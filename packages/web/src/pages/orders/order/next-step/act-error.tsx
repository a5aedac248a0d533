import type { MarketApiError } from '@market/sdk';

const OF_THE_INPUT = new Set(['invalid_input', 'invalid_json']);

/** Why the action failed. If the order's state was the reason, says that the page now shows the new state. */
export function ActError({ error }: { readonly error: MarketApiError | null }) {
  if (error === null) return null;
  const moved = error.status >= 400 && error.status < 500 && error.status !== 429 && !OF_THE_INPUT.has(error.code);
  return (
    <div className="alert" role="alert">
      <span>
        <b>Not done.</b> {error.code === 'network_error' ? 'The service cannot be reached. Nothing was changed.' : error.message}
        {moved ? ' The page now shows the order as it is.' : ''}
      </span>
      {error.requestId === undefined ? null : <span className="meta mono">{error.requestId}</span>}
    </div>
  );
}

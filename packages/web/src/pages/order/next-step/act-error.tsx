import type { MarketApiError } from '@market/sdk';

const OF_THE_INPUT = new Set(['invalid_input', 'invalid_json']);

/** Why it was not done. A refusal because of the order's state says that the page now shows that state. */
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

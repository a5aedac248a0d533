import './code.css';
import type { OperationName } from '@market/contract';
import { useFacts } from '../../data/site-facts.ts';
import { CodeTabs } from './code.tsx';
import { composeApiCall } from './compose-api-call.ts';

export interface ApiCallProps {
  readonly calls: readonly { readonly name: OperationName; readonly args: Readonly<Record<string, unknown>>; readonly title?: string }[];
}

/** "Show as API call": how a program does the same as this action on the site. */
export function ApiCalls({ calls }: ApiCallProps) {
  const { apiUrl } = useFacts();
  return (
    <details className="api-call">
      <summary>{calls.length === 1 ? 'Show as API call' : 'Show these as API calls'}</summary>
      <div className="stack">
        {calls.map(({ name, args, title }) => {
          const { curl, sdk } = composeApiCall(name, args, apiUrl);
          return (
            <div key={name}>
              {title === undefined ? null : <p className="note">{title}</p>}
              <CodeTabs
                label={title ?? name}
                samples={[
                  { id: 'curl', name: 'curl', code: curl },
                  { id: 'sdk', name: 'SDK', code: sdk },
                ]}
              />
            </div>
          );
        })}
      </div>
    </details>
  );
}

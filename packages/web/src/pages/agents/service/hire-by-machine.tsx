import { formatUsd, orderDurations, parseUsd } from '@market/contract';
import { useFacts } from '../../../data/site-facts.ts';
import { sitePaths } from '../../../site-paths.ts';
import { Amount, CodeTabs, Sum } from '../../../ui/index.ts';
import { feeWords } from '../../../words.ts';
import { machineSnippets, machineTotal } from './machine-snippets.ts';
import type { ServiceDetails } from './service-details.ts';

export function HireByMachine({ service }: { readonly service: ServiceDetails['service'] }) {
  const { apiUrl, appUrl, serviceName, networks, profile } = useFacts();
  if (service.price_type !== 'fixed')
    return (
      <p className="mute">
        Programs pay fixed prices only. This service is {service.price_type === 'quote' ? 'priced per order' : 'paid by the period'}: place
        the order by API with a key, and pay it like a person does. <a href={sitePaths.reference}>The reference</a> has the calls.
      </p>
    );
  const total = machineTotal(service.price_usd);
  const fee = formatUsd((parseUsd(total) ?? 0n) - (parseUsd(service.price_usd) ?? 0n));
  return (
    <div className="stack">
      <CodeTabs
        label="Ways to hire by machine"
        samples={machineSnippets({ id: service.id, priceUsd: service.price_usd }, { apiUrl, appUrl, networks })}
      />
      <div className="pair">
        <div>
          <h3>What a machine pays</h3>
          <Sum
            lines={[
              { label: `List price, all to ${service.agent_name}`, value: <Amount usd={service.price_usd} bare /> },
              { label: `${feeWords(serviceName, 'To')} on top`, value: <Amount usd={fee} bare /> },
              { label: 'Machine pays', value: <Amount usd={total} />, kind: 'total' },
            ]}
          />
        </div>
        <div>
          <h3>What comes back</h3>
          <p className="note">
            An order id and a result address in the same call. The work follows within {service.turnaround_hours} h: poll the address, or
            stream events. By default the agent is paid once the payment is final; with <code>"settlement": "on_approval"</code> the price
            is held until you approve or {orderDurations.reviewHours} h pass.
          </p>
          <p className="note">
            <a href={sitePaths.guide('paying-by-x402')}>{profile === 'sandbox' ? 'Try it here in the sandbox' : 'Read the guide'}</a>, or{' '}
            <a href={sitePaths.connect}>connect an MCP host</a>
          </p>
        </div>
      </div>
    </div>
  );
}

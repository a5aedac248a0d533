import '../../../ui/display/panel.css';
import { formatUsd, parseUsd, splitPrice } from '@market/contract';
import { useFacts } from '../../../data/site-facts.ts';
import { sitePaths } from '../../../site-paths.ts';
import { Amount, ApiCalls, BigAmount, Button, StatusChip, Sum } from '../../../ui/index.ts';
import { feeWords, networkWords } from '../../../words.ts';
import type { ServiceDetails } from './service-details.ts';

type Service = ServiceDetails['service'];

export function hireLabel({ price_type, agent_name }: Service): string {
  return price_type === 'quote' ? `Ask ${agent_name} for a price` : `Hire ${agent_name}`;
}

/** The cost of a hire with its parts, and the link to hire. Payment happens on the next page. */
export function HirePanel({ service }: { readonly service: Service }) {
  const { networks } = useFacts();
  const fields = service.requirement_fields?.length ?? 0;
  return (
    <>
      <div className="panel">
        <div className="inner stack">
          <Price service={service} />
          <Button kind="primary" size="tall" wide href={sitePaths.hire(service.id)}>
            {hireLabel(service)}
          </Button>
          <Sum
            small
            lines={[
              {
                label: 'Pay on',
                value: networks.length === 0 ? 'no network here' : networks.map((network) => networkWords[network]).join(', '),
              },
              { label: 'Delivery', value: `within ${service.turnaround_hours} h` },
              { label: 'Revisions', value: `${service.max_revisions} included` },
            ]}
          />
          <p className="note">
            {service.price_type === 'quote'
              ? 'You describe the work, the agent answers with a price, and you pay only if you agree.'
              : 'Held in escrow after you pay. Cancel before work starts and all of it comes back.'}
          </p>
          <ApiCalls calls={[{ name: 'orders.place', args: { service_id: service.id, brief: 'What you need, in your words.' } }]} />
        </div>
      </div>
      <p className="note beside">
        <b>
          {fields === 0 ? 'You describe the work in your own words.' : `First you fill in ${fields} ${fields === 1 ? 'field' : 'fields'}.`}
        </b>{' '}
        {fields === 0
          ? 'Your draft is saved.'
          : `${(service.requirement_fields ?? []).map(({ label }) => label).join(', ')}. Your draft is saved.`}
      </p>
    </>
  );
}

function Price({ service }: { readonly service: Service }) {
  const { serviceName } = useFacts();
  const micros = parseUsd(service.price_usd) ?? 0n;
  if (service.price_type === 'quote' && micros === 0n)
    return (
      <div className="price-head">
        <div className="price">On request</div>
        <StatusChip status="pending_quote">Not priced</StatusChip>
      </div>
    );
  const { agentMicros, feeMicros } = splitPrice(micros);
  const period = service.price_type === 'weekly' ? ' a week' : service.price_type === 'monthly' ? ' a month' : '';
  return (
    <>
      <div className="price-head">
        <BigAmount usd={service.price_usd} unit={`USDC${period}`} />
        <StatusChip status="quoted">Not paid</StatusChip>
      </div>
      <Sum
        lines={[
          { label: service.price_type === 'quote' ? 'You pay, from' : 'You pay', value: <Amount usd={service.price_usd} />, kind: 'total' },
          { label: `to ${service.agent_name}, when you accept`, value: <Amount usd={formatUsd(agentMicros)} bare />, kind: 'part' },
          { label: feeWords(serviceName), value: <Amount usd={formatUsd(feeMicros)} bare />, kind: 'part' },
        ]}
      />
    </>
  );
}

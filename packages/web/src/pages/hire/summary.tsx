import { formatUsd, orderDurations, parseUsd, splitPrice } from '@market/contract';
import type { Answer } from '../../data/answers.ts';
import { useFacts } from '../../data/site-facts.ts';
import { sitePaths } from '../../site-paths.ts';
import { BigAmount, formatAmount, formatHours, Sum, type SumLine } from '../../ui/index.ts';
import { feeWords } from '../../words.ts';

/** Summary of the purchase, always visible. */
export function Summary({ service }: { readonly service: Answer<'services.get'>['data'] }) {
  const { serviceName } = useFacts();
  const isQuote = service.price_type === 'quote';
  return (
    <section className="panel hire-summary" aria-label="Summary">
      <div className="inner stack">
        <h2>
          <a href={sitePaths.service(service.agent_slug, service.slug)}>{service.title}</a>
        </h2>
        <p className="note">by {service.agent_name}</p>
        {isQuote ? (
          <p>The price is agreed for each order.</p>
        ) : (
          <BigAmount usd={service.price_usd} unit={`USDC ${unitOf(service.price_type)}`} />
        )}
        {isQuote ? null : <Sum lines={splitLines(service, serviceName)} />}
        <Sum small lines={termLines(service)} />
        <p className="note">{promiseOf(service.price_type)}</p>
      </div>
    </section>
  );
}

type Service = Answer<'services.get'>['data'];

function unitOf(priceType: Service['price_type']): string {
  if (priceType === 'weekly') return 'for one week';
  return priceType === 'monthly' ? 'for one month' : '';
}

function splitLines(service: Service, serviceName: string): SumLine[] {
  const { agentMicros, feeMicros } = splitPrice(parseUsd(service.price_usd) ?? 0n);
  return [
    { label: 'You pay', value: `${formatAmount(service.price_usd)} USDC`, kind: 'total' },
    { label: `to ${service.agent_name}`, value: formatAmount(formatUsd(agentMicros)), kind: 'part' },
    { label: feeWords(serviceName), value: formatAmount(formatUsd(feeMicros)), kind: 'part' },
  ];
}

function termLines(service: Service): SumLine[] {
  if (service.price_type === 'weekly' || service.price_type === 'monthly')
    return [
      { label: 'Runs for', value: `${orderDurations.workspaceDays[service.price_type]} days` },
      { label: 'Requests', value: service.quota_limit === 0 ? 'as many as its time allows' : String(service.quota_limit) },
    ];
  return [
    { label: 'Delivery', value: `within ${formatHours(service.turnaround_hours)}` },
    { label: 'Revisions', value: `${service.max_revisions} included` },
    { label: 'Your review', value: `${orderDurations.reviewHours} h, then released` },
  ];
}

function promiseOf(priceType: Service['price_type']): string {
  if (priceType === 'quote') return 'You write what you need, the agent names a price, and you pay only if you agree.';
  if (priceType === 'weekly' || priceType === 'monthly')
    return 'You pay one period at a time. The workspace opens at once; nothing is charged again by itself.';
  return 'Held in escrow after you pay. Cancel before work starts and all of it comes back.';
}

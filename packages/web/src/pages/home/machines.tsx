import { formatUsd, parseUsd, withFeeOnTop } from '@market/contract';
import '../../ui/code/code.css';
import { useAnswer } from '../../data/answers.ts';
import { sitePaths } from '../../site-paths.ts';
import { popularArguments } from './search.tsx';

/** The dark section: the same market for programs, with a service that can be hired now. */
export function Machines() {
  const services = useAnswer('services.list', popularArguments).data?.data ?? [];
  const service = services.find(({ price_type }) => price_type === 'fixed');
  return (
    <section className="section isle" data-theme="dark" aria-labelledby="machines">
      <div className="wrap program">
        <div>
          <h2 className="big" id="machines">
            Programs hire here too
          </h2>
          <p className="mute">
            Ask for a service, get a 402 with the exact price, pay, send the reference back. No account, no key, no call with sales. The
            answer names the order and the address where its result will be.
          </p>
          <p className="mute">
            <a href={sitePaths.guide('paying-by-x402')}>Read the x402 guide</a> or{' '}
            <a href={sitePaths.x402Manifest}>see what can be hired</a>
          </p>
        </div>
        {service === undefined ? null : <Dialogue serviceId={service.id} priceUsd={service.price_usd} />}
      </div>
    </section>
  );
}

function Dialogue({ serviceId, priceUsd }: { readonly serviceId: string; readonly priceUsd: string }) {
  const micros = withFeeOnTop(parseUsd(priceUsd) ?? 0n);
  return (
    <div className="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, and the keyboard must be able to */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms */}
      <pre tabIndex={0} role="group" aria-label="A hire by a program, as it goes over the wire">
        <i>&gt;</i> <b>POST</b> /api/x402/pay?service_id={serviceId}
        {'\n'}
        <i>&lt;</i> <em>402 Payment Required</em>
        {'\n  {\n    "scheme": "exact",\n    "network": "base-mainnet",\n'}
        {`    "maxAmountRequired": "${micros}",   `}
        <i>{formatUsd(micros)} USDC</i>
        {'\n    …\n  }\n\n'}
        <i>&gt;</i> <b>POST</b> /api/x402/pay?service_id={serviceId}
        {'\n  X-PAYMENT: '}
        <i>the transaction</i>
        {'\n  { "brief": '}
        <i>what you need, in words</i>
        {' }\n'}
        <i>&lt;</i> <s>200</s>
        {' { "order_id": '}
        <i>…</i>
        {', "status": "paid", '}
        <i>…</i>
        {' }'}
      </pre>
    </div>
  );
}

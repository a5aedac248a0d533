/** Hiring in three steps on one page: brief, check, payment. The browser keeps the typed text. */
import './hire.css';
import { useRef } from 'react';
import { type Answer, useAnswer } from '../../data/answers.ts';
import { definePage, type PageProps } from '../../page.ts';
import { useNavigation } from '../../router/router.tsx';
import { sitePaths } from '../../site-paths.ts';
import { Loaded, Time } from '../../ui/index.ts';
import { BriefStep } from './brief-step.tsx';
import { CheckStep } from './check-step.tsx';
import { HireStep } from './hire-step.tsx';
import { PayStep } from './pay-step.tsx';
import { Summary } from './summary.tsx';
import { type HireSteps, useHireSteps } from './use-hire-steps.ts';

type Params = { serviceId: string };

function HirePage({ params }: PageProps<Params>) {
  const service = useAnswer('services.get', { id: params.serviceId });
  return (
    <div className="wrap">
      <Loaded answer={service} what="The service">
        {({ data }) => <HireFlow service={data} />}
      </Loaded>
    </div>
  );
}

type Service = Answer<'services.get'>['data'];

interface HireProps {
  readonly service: Service;
  readonly steps: HireSteps;
}

function HireFlow({ service }: { readonly service: Service }) {
  const top = useRef<HTMLDivElement>(null);
  const steps = useHireSteps(service, top);
  return (
    <>
      <Breadcrumb service={service} />
      <header className="page-head">
        <h1>Hire {service.agent_name}</h1>
      </header>
      <div className="columns" ref={top}>
        <div className="hire-steps">
          <WriteBrief service={service} steps={steps} />
          <CheckOrder service={service} steps={steps} />
          <AwaitPayment service={service} steps={steps} />
        </div>
        <PayPanel service={service} steps={steps} />
      </div>
    </>
  );
}

function Breadcrumb({ service }: { readonly service: Service }) {
  return (
    <nav className="breadcrumb" aria-label="Breadcrumb">
      <ol>
        <li>
          <a href={sitePaths.browse}>Browse</a>
        </li>
        <li>
          <a href={sitePaths.service(service.agent_slug, service.slug)}>{service.title}</a>
        </li>
        <li aria-current="page">Hire</li>
      </ol>
    </nav>
  );
}

function WriteBrief({ service, steps: { draft, problems, current, change, check } }: HireProps) {
  const isPlaced = draft.orderId !== undefined;
  const saved =
    draft.savedAt === undefined ? undefined : (
      <>
        Draft saved at <Time at={draft.savedAt} style="moment" />
      </>
    );
  return (
    <HireStep number={1} title="Your brief" now={current === 1} done={current > 1} aside={saved}>
      {current === 1 ? <BriefStep {...{ service, draft, problems }} onChange={change} onNext={check} /> : null}
      {isPlaced && draft.brief !== '' ? <p className="quoted typed">{draft.brief}</p> : null}
    </HireStep>
  );
}

function CheckOrder({ service, steps: { draft, current, backToBrief, placed } }: HireProps) {
  return (
    <HireStep number={2} title="Check" now={current === 2} done={current > 2}>
      {current === 2 ? <CheckStep {...{ service, draft }} onBack={backToBrief} onPlaced={placed} /> : null}
    </HireStep>
  );
}

function AwaitPayment({ service, steps: { current } }: HireProps) {
  const isQuote = service.price_type === 'quote';
  return (
    <HireStep number={3} title={isQuote ? 'Agree on a price' : 'Pay'} now={current === 3} done={false}>
      {current === 3 && !isQuote ? (
        <p className="mute prose">
          The order is placed and waits for its payment. You can leave and come back: a payment that was sent is found again, here and on
          the order’s own page.
        </p>
      ) : null}
    </HireStep>
  );
}

function PayPanel({ service, steps: { draft, startAnew, forget } }: HireProps) {
  const { navigate } = useNavigation();
  const { orderId } = draft;
  const onPaid = (): void => {
    forget();
    void navigate(sitePaths.order(orderId ?? ''));
  };
  return (
    <aside className="pay" aria-label="Summary and payment">
      {orderId === undefined ? <Summary service={service} /> : <PayStep orderId={orderId} onAnew={startAnew} onPaid={onPaid} />}
    </aside>
  );
}

export const page = definePage<Params>({
  load: ({ ask, params }) => ask('services.get', { id: params.serviceId }),
  head: ({ known, params }) => ({
    title: `Hire: ${known('services.get', { id: params.serviceId })?.data.title ?? 'a service'}`,
    unlisted: true,
  }),
  Component: HirePage,
});

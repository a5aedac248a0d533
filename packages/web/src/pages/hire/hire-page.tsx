/** Hiring in three steps on one page: say what you need, check it, pay. What is typed is kept. */
import './hire.css';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { type Answer, useAnswer } from '../../data/answers.ts';
import { definePage, type PagePlace } from '../../page.ts';
import { useNavigation } from '../../router/router.tsx';
import { sitePaths } from '../../site-paths.ts';
import { Loaded, Time, useAnnounce } from '../../ui/index.ts';
import { BriefStep } from './brief-step.tsx';
import { type BriefProblems, findProblems } from './check-brief.ts';
import { CheckStep } from './check-step.tsx';
import { dropDraft, emptyDraft, type HireDraft, keepDraft, readDraft } from './hire-draft.ts';
import { PayStep } from './pay-step.tsx';
import { Summary } from './summary.tsx';

type Params = { serviceId: string };

function HirePage({ params }: PagePlace<Params>) {
  const service = useAnswer('services.get', { id: params.serviceId });
  return (
    <div className="wrap">
      <Loaded answer={service} what="The service">
        {({ data }) => <HireFlow service={data} />}
      </Loaded>
    </div>
  );
}

const newKey = (): string => crypto.randomUUID();

function HireFlow({ service }: { readonly service: Answer<'services.get'>['data'] }) {
  const { navigate } = useNavigation();
  const announce = useAnnounce();
  const [draft, setDraft] = useState<HireDraft>(() => emptyDraft(''));
  const [step, setStep] = useState<1 | 2>(1);
  const [problems, setProblems] = useState<BriefProblems>();
  const fields = service.requirement_fields ?? [];
  const top = useRef<HTMLDivElement>(null);

  // The browser's memory is not there while the server makes the page.
  useEffect(() => setDraft(readDraft(localStorage, service.id, newKey)), [service.id]);

  const keep = (next: HireDraft): void => {
    keepDraft(localStorage, service.id, next);
    setDraft(next);
  };
  const change = (fields: Partial<HireDraft>): void => {
    setProblems(undefined);
    keep({ ...draft, ...fields, placeKey: newKey(), savedAt: Date.now() });
  };
  const goTo = (next: 1 | 2, words: string): void => {
    setStep(next);
    announce(words);
    requestAnimationFrame(() => {
      const heading = top.current?.querySelector<HTMLElement>('[data-now] h2');
      heading?.focus({ preventScroll: true });
      heading?.scrollIntoView({ block: 'start' });
    });
  };
  const check = (): void => {
    const found = findProblems(draft, fields);
    setProblems(found);
    if (found === undefined) {
      goTo(2, 'Step 2 of 3: check the order.');
      return;
    }
    announce('Some fields need a change.');
    requestAnimationFrame(() => top.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus());
  };
  const anew = (): void => {
    keep({ ...draft, orderId: undefined, placeKey: newKey() });
    goTo(1, 'Step 1 of 3: your brief.');
  };
  const isPlaced = draft.orderId !== undefined;
  const isQuote = service.price_type === 'quote';
  return (
    <>
      <nav className="crumb" aria-label="Breadcrumb">
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
      <header className="pagehead">
        <h1>Hire {service.agent_name}</h1>
      </header>
      <div className="cols" ref={top}>
        <div className="hiresteps">
          <Step
            number={1}
            title="Your brief"
            now={!isPlaced && step === 1}
            done={isPlaced || step > 1}
            aside={
              draft.savedAt === undefined ? undefined : (
                <>
                  Draft saved at <Time at={draft.savedAt} style="moment" />
                </>
              )
            }
          >
            {!isPlaced && step === 1 ? <BriefStep {...{ service, draft, problems }} onChange={change} onNext={check} /> : null}
            {isPlaced && draft.brief !== '' ? <p className="quoted typed">{draft.brief}</p> : null}
          </Step>
          <Step number={2} title="Check" now={!isPlaced && step === 2} done={isPlaced}>
            {!isPlaced && step === 2 ? (
              <CheckStep
                {...{ service, draft }}
                onBack={() => goTo(1, 'Step 1 of 3: your brief.')}
                onPlaced={(orderId) => {
                  keep({ ...draft, orderId });
                  announce(isQuote ? 'Asked for a price.' : 'The order is placed. Step 3 of 3: pay.');
                }}
              />
            ) : null}
          </Step>
          <Step number={3} title={isQuote ? 'Agree on a price' : 'Pay'} now={isPlaced} done={false}>
            {isPlaced && !isQuote ? (
              <p className="mute prose">
                The order is placed and waits for its payment. You can leave and come back: a payment that was sent is found again, here and
                on the order’s own page.
              </p>
            ) : null}
          </Step>
        </div>
        <aside className="pay" aria-label="Summary and payment">
          {draft.orderId === undefined ? (
            <Summary service={service} />
          ) : (
            <PayStep
              orderId={draft.orderId}
              onAnew={anew}
              onPaid={() => {
                dropDraft(localStorage, service.id);
                void navigate(sitePaths.order(draft.orderId ?? ''));
              }}
            />
          )}
        </aside>
      </div>
    </>
  );
}

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly now: boolean;
  readonly done: boolean;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

function Step({ number, title, now, done, aside, children }: StepProps) {
  return (
    <section className="hirestep" data-now={now ? '' : undefined} data-done={done ? '' : undefined} aria-label={`Step ${number}: ${title}`}>
      <header>
        <span className="n" aria-hidden="true">
          {number}
        </span>
        <h2 tabIndex={-1}>{title}</h2>
        <span className="meta">{aside ?? (done ? 'done' : null)}</span>
      </header>
      {children}
    </section>
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

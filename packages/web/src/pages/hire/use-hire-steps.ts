/** The progress of a hire: the draft, its problems, the current step, and the way between steps. */
import { type RefObject, useEffect, useState } from 'react';
import type { Answer } from '../../data/answers.ts';
import { useAnnounce } from '../../ui/index.ts';
import { type BriefProblems, findProblems } from './check-brief.ts';
import { dropDraft, emptyDraft, type HireDraft, keepDraft, readDraft } from './hire-draft.ts';

export interface HireSteps {
  readonly draft: HireDraft;
  readonly problems: BriefProblems | undefined;
  /** 1: brief · 2: check · 3: the order is placed. */
  readonly current: 1 | 2 | 3;
  change(fields: Partial<HireDraft>): void;
  check(): void;
  backToBrief(): void;
  placed(orderId: string): void;
  /** Starts a new order with the same brief. */
  startAnew(): void;
  forget(): void;
}

const newKey = (): string => crypto.randomUUID();

export function useHireSteps(service: Answer<'services.get'>['data'], top: RefObject<HTMLElement | null>): HireSteps {
  const announce = useAnnounce();
  const [draft, keep] = useKeptDraft(service.id);
  const [step, setStep] = useState<1 | 2>(1);
  const [problems, setProblems] = useState<BriefProblems>();
  const goTo = (next: 1 | 2, words: string): void => {
    setStep(next);
    announce(words);
    requestAnimationFrame(() => {
      const heading = top.current?.querySelector<HTMLElement>('[data-now] h2');
      heading?.focus({ preventScroll: true });
      heading?.scrollIntoView({ block: 'start' });
    });
  };
  const backToBrief = (): void => goTo(1, 'Step 1 of 3: your brief.');
  return {
    draft,
    problems,
    current: draft.orderId === undefined ? step : 3,
    change(fields) {
      setProblems(undefined);
      keep({ ...draft, ...fields, placeKey: newKey(), savedAt: Date.now() });
    },
    check() {
      const found = findProblems(draft, service.requirement_fields ?? []);
      setProblems(found);
      if (found === undefined) return goTo(2, 'Step 2 of 3: check the order.');
      announce('Some fields need a change.');
      requestAnimationFrame(() => top.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus());
    },
    backToBrief,
    placed(orderId) {
      keep({ ...draft, orderId });
      announce(service.price_type === 'quote' ? 'Asked for a price.' : 'The order is placed. Step 3 of 3: pay.');
    },
    startAnew() {
      keep({ ...draft, orderId: undefined, placeKey: newKey() });
      backToBrief();
    },
    forget: () => dropDraft(localStorage, service.id),
  };
}

/** The draft of this service, kept in the browser's storage. */
function useKeptDraft(serviceId: string): readonly [HireDraft, (next: HireDraft) => void] {
  const [draft, setDraft] = useState<HireDraft>(() => emptyDraft(''));
  // The server, which renders the page first, has no browser storage.
  useEffect(() => setDraft(readDraft(localStorage, serviceId, newKey)), [serviceId]);
  const keep = (next: HireDraft): void => {
    keepDraft(localStorage, serviceId, next);
    setDraft(next);
  };
  return [draft, keep];
}

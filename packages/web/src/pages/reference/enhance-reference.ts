/** Adds filter-as-you-type and copy buttons. Without scripts the whole list is shown and code is copied by hand. */

export function enhanceReference(root: HTMLElement): () => void {
  const ending = new AbortController();
  offerCopy(root, ending.signal);
  offerFilter(root, ending.signal);
  return () => ending.abort();
}

function offerCopy(root: HTMLElement, signal: AbortSignal): void {
  for (const button of root.querySelectorAll<HTMLButtonElement>('.copy')) button.hidden = false;
  const copy = async (button: HTMLButtonElement) => {
    const label = button.firstChild;
    const code = button.closest('figure')?.querySelector('code')?.textContent ?? '';
    const copied = await navigator.clipboard?.writeText(code).then(
      () => true,
      () => false,
    );
    if (label === null) return;
    label.textContent = copied === true ? 'Copied' : 'Copy by hand';
    setTimeout(() => {
      label.textContent = 'Copy';
    }, 2000);
  };
  root.addEventListener(
    'click',
    (event) => {
      const button = event.target instanceof Element ? event.target.closest<HTMLButtonElement>('.copy') : null;
      if (button !== null) void copy(button);
    },
    { signal },
  );
}

function offerFilter(root: HTMLElement, signal: AbortSignal): void {
  const box = root.querySelector<HTMLElement>('.filter');
  const input = box?.querySelector('input');
  const status = box?.querySelector('[role=status]');
  if (box == null || input == null || status == null) return;
  const all = (selector: string) => [...root.querySelectorAll<HTMLElement>(selector)];
  const operations = all('[data-operation]');
  const groups = all('[data-group]');
  const guides = all('[data-guide]');
  box.hidden = false;

  const apply = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = new Set<string>();
    for (const operation of operations) {
      const text = (operation.dataset['operation'] ?? '').toLowerCase();
      operation.hidden = !words.every((word) => text.includes(word));
      if (!operation.hidden) found.add(text);
    }
    for (const group of groups) group.hidden = group.querySelector('[data-operation]:not([hidden])') === null;
    for (const guide of guides) guide.hidden = words.length > 0;
    status.textContent = words.length === 0 ? '' : `${found.size} ${found.size === 1 ? 'call' : 'calls'}`;
  };
  const clear = () => {
    input.value = '';
    apply();
  };
  input.addEventListener('input', apply, { signal });
  input.addEventListener('keydown', (event) => event.key === 'Escape' && clear(), { signal });
  // Shows a filtered-out part again when a link leads to it.
  const onHash = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target?.closest('[hidden]') == null) return;
    clear();
    target.scrollIntoView();
  };
  addEventListener('hashchange', onHash, { signal });
  apply();
}

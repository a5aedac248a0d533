// Filter-as-you-type. Progressive enhancement only: without it the whole list is shown.
(() => {
  const box = document.querySelector('.filter');
  const input = box.querySelector('input');
  const status = box.querySelector('[role=status]');
  const operations = [...document.querySelectorAll('[data-operation]')];
  const groups = [...document.querySelectorAll('[data-group]')];
  const guides = [...document.querySelectorAll('[data-guide]')];
  box.hidden = false;

  const apply = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = new Set();
    for (const operation of operations) {
      const text = operation.dataset.operation.toLowerCase();
      operation.hidden = !words.every((word) => text.includes(word));
      if (!operation.hidden) found.add(text);
    }
    for (const group of groups) group.hidden = !group.querySelector('[data-operation]:not([hidden])');
    for (const guide of guides) guide.hidden = words.length > 0;
    status.textContent = words.length === 0 ? '' : `${found.size} ${found.size === 1 ? 'call' : 'calls'}`;
  };

  input.addEventListener('input', apply);
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    input.value = '';
    apply();
  });
  // A link into a part that the filter hides must still arrive there.
  addEventListener('hashchange', () => {
    if (!document.querySelector(':target')?.closest('[hidden]')) return;
    input.value = '';
    apply();
    document.querySelector(':target').scrollIntoView();
  });
  apply();
})();

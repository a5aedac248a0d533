// Copy buttons. Progressive enhancement only: they stay hidden where the browser offers no clipboard.
for (const button of document.querySelectorAll('.copy')) {
  const label = button.firstChild;
  button.hidden = !navigator.clipboard;
  button.addEventListener('click', async () => {
    const code = button.closest('figure').querySelector('code').textContent;
    try {
      await navigator.clipboard.writeText(code);
      label.data = 'Copied';
    } catch {
      label.data = 'Select and copy by hand';
    }
    setTimeout(() => {
      label.data = 'Copy';
    }, 2000);
  });
}

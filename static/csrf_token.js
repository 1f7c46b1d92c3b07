// The token that Django asks of every change, as it is now: signing in renews it, in another tab too, and the one that the
// page was given is refused from then on.
export function csrfToken() {
  const kept = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/);
  return kept ? decodeURIComponent(kept[1]) : (document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "");
}

"use strict";
// Every request that htmx makes carries the token that Django asks of forms.
document.addEventListener("htmx:configRequest", (event) => {
  const token = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/);
  if (token) event.detail.headers["X-CSRFToken"] = decodeURIComponent(token[1]);
});

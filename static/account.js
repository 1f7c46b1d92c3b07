// What needs a script shows once there is one.
for (const button of document.querySelectorAll("#passkey_login")) button.hidden = !window.PublicKeyCredential;
// What a browser says when a passkey does not come about, in words, beside the button.
document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  const button = document.querySelector("#passkey_login, [id^=mfa_webauthn_]");
  if (!button) return;
  const said = document.getElementById("passkey-said") ?? document.createElement("p");
  said.id = "passkey-said";
  said.className = "note warn";
  said.setAttribute("role", "alert");
  const words = "No passkey came from this device. Try again, or use another way.";
  said.textContent = globalThis.say?.(words) ?? words;
  button.closest("form, p").after(said);
});
